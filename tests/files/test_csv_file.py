"""CSV is read in one place: what is the same for every file, and how a line that cannot be used is named."""

import ast
from pathlib import Path

import pytest

import swapregret
from swapregret.errors import InvalidInput
from swapregret.files.csv_file import read_csv

ROOT = Path(swapregret.__file__).parent


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a file may be written."""
    return tmp_path / "table.csv"


def test_cells_are_text_with_their_lines(path: Path) -> None:
    """A mark at the beginning, spaces, quotes and empty lines do not count; a quoted cell may hold lines."""
    path.write_bytes('\ufeffa , b\r\n\r\n"1,5",  x\r\n"two\nlines",y\r\n3,\r\n'.encode())
    table = read_csv(path)
    assert table.header == ("a", "b")
    assert table.rows == ((3, ("1,5", "x")), (4, ("two\nlines", "y")), (6, ("3", "")))


def test_comments_are_left_out_only_where_they_may_stand(path: Path) -> None:
    """A log whose first column begins with # loses no row."""
    path.write_text("a,b\n#1,2\n", encoding="utf-8")
    assert len(read_csv(path).rows) == 1
    assert read_csv(path, has_comments=True).rows == ()


def test_a_header_is_looked_for(path: Path) -> None:
    """Without being told, a first row of numbers is a row, any other a header."""
    path.write_text("1,2\n3,4\n", encoding="utf-8")
    assert len(read_csv(path, has_header=None).rows) == 2
    path.write_text("1,x\n3,4\n", encoding="utf-8")
    assert read_csv(path, has_header=None).header == ("1", "x")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "must begin with a row of cells"),
        (b"a,b\n1,2\n1,2,3\n", "line 3 .* must have 2 cells, as line 1 has: got 3"),
        (b"a,a\n1,2\n", r"different names: got \['a'\] twice"),
        (b'a,b\n"1,2\n', "closed quotation marks: got line 2"),
        (b"a,b\n\xff,2\n", "UTF-8 text: got byte 4"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(path: Path, content: bytes, words: str) -> None:
    """The sentence has the file and the line."""
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=words) as caught:
        read_csv(path)
    assert "table.csv" in str(caught.value)


def test_nobody_else_reads_csv() -> None:
    """The module csv is imported in one file of the package."""
    found = []
    for file in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import) and any(alias.name == "csv" for alias in node.names):
                found.append(file.name)
    assert found == ["csv_file.py"]
