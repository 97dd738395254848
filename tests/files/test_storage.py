"""Files: what is written is read, what is damaged is refused with its name, and a crash leaves the old file."""

import hashlib
import json
import os
import signal
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from swapregret.errors import InvalidInput, StorageError
from swapregret.files import storage
from swapregret.files.storage import FORMAT_VERSION, from_bytes, put_file, read_file, to_bytes, write_file

ARRAYS = {
    "floats": np.array([[0.1, -0.0], [np.inf, 1e-320]]),
    "ints": np.arange(5, dtype=np.int64),
    "flag": np.array(True),
    "empty": np.zeros((0, 3)),
    "big-endian": np.arange(3, dtype=">f8"),
    "strided": np.arange(10.0)[::3],
}
META = {"name": "é", "number": 2**100, "list": [1, 2.5, None]}
DATA = to_bytes("thing", META, ARRAYS)


def test_round_trip() -> None:
    """Metadata and arrays come back bit for bit, in the machine's byte order."""
    metadata, arrays = from_bytes("thing", DATA, "file 'x'")
    assert metadata == META
    assert list(arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert arrays[name].shape == array.shape
        assert arrays[name].dtype == array.dtype.newbyteorder("=")
        assert arrays[name].tobytes() == np.ascontiguousarray(array).astype(array.dtype.newbyteorder("=")).tobytes()
        assert arrays[name].flags.writeable


def test_objects_cannot_be_written() -> None:
    """Only numbers go into a file: there is no pickle to open."""
    with pytest.raises(TypeError, match="dtype object"):
        to_bytes("thing", {}, {"a": np.array([{}], dtype=object)})


@pytest.mark.parametrize("length", [*range(0, 60), *range(60, len(DATA), 17), len(DATA) - 1])
def test_every_truncation_is_refused(length: int) -> None:
    """Cut anywhere, a file is refused by name, as truncated."""
    with pytest.raises(InvalidInput, match=r"file .x. must .*truncated"):
        from_bytes("thing", DATA[:length], "file 'x'")


def test_every_altered_byte_is_refused() -> None:
    """One flipped bit anywhere, and the file is refused by name."""
    for position in range(len(DATA)):
        altered = bytearray(DATA)
        altered[position] ^= 1 << (position % 8)
        with pytest.raises(InvalidInput, match="file 'x' must"):
            from_bytes("thing", bytes(altered), "file 'x'")


def test_appended_bytes_are_refused() -> None:
    """A file with something after it is not the file that was written."""
    with pytest.raises(InvalidInput, match="checksum"):
        from_bytes("thing", DATA + b"\0", "file 'x'")


def test_a_newer_version_is_refused_before_its_checksum_is_looked_at() -> None:
    """The sentence says which version came and what to do."""
    start = DATA.index(b"{")
    (length,) = struct.unpack("<Q", DATA[start - 8 : start])
    header = json.loads(DATA[start : start + length])
    header["version"] = FORMAT_VERSION + 1
    text = json.dumps(header).encode()
    newer = DATA[: start - 8] + struct.pack("<Q", len(text)) + text + b"whatever the new layout is" * 3
    with pytest.raises(InvalidInput, match=f"version {FORMAT_VERSION} or older: got version 2. Upgrade"):
        from_bytes("thing", newer, "file 'x'")


def test_other_kinds_are_refused() -> None:
    """A file of another library, and another file of this one, are told apart."""
    with pytest.raises(InvalidInput, match="a file of another kind"):
        from_bytes("thing", b"PK\x03\x04" + bytes(200), "file 'x'")
    with pytest.raises(InvalidInput, match="hold a session: got a thing"):
        from_bytes("session", DATA, "file 'x'")


def test_missing_files_are_named(tmp_path: Path) -> None:
    """A path that cannot be read is named with the reason."""
    with pytest.raises(InvalidInput, match=r"nowhere.*No such file"):
        read_file(tmp_path / "nowhere")
    with pytest.raises(InvalidInput, match="directory"):
        read_file(tmp_path)


def test_write_and_replace(tmp_path: Path) -> None:
    """A new file obeys the umask, a replaced one keeps its permissions, a link is followed; nothing else is left."""
    target, link = tmp_path / "file", tmp_path / "link"
    write_file(target, b"one")
    umask = os.umask(0)
    os.umask(umask)
    assert target.stat().st_mode & 0o777 == 0o666 & ~umask
    target.chmod(0o640)
    link.symlink_to(target)
    write_file(link, b"two")
    assert target.read_bytes() == b"two"
    assert target.stat().st_mode & 0o777 == 0o640
    assert link.is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "link"]


def test_put_file_hands_out_the_new_file(tmp_path: Path) -> None:
    """The handle appends to what has the path now, and was seen before anybody else could see the file."""
    seen = []
    handle = put_file(tmp_path / "file", b"one", lambda handle: seen.append(list(tmp_path.glob("file"))))
    try:
        os.write(handle, b" two")
    finally:
        os.close(handle)
    assert (tmp_path / "file").read_bytes() == b"one two"
    assert seen == [[]]


def test_paths_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    """A missing folder, a folder, something that is no path: refused in one sentence."""
    for bad in (tmp_path / "no" / "file", tmp_path, "a\0b", 3.5, tmp_path / ("x" * 300)):
        with pytest.raises(InvalidInput, match="`path` must be"):
            write_file(bad, b"x")  # type: ignore[arg-type]


def test_a_new_file_replaces_nothing(tmp_path: Path) -> None:
    """With ``is_new`` a file that is there stays, and no temporary one is left."""
    os.close(put_file(tmp_path / "file", b"one", is_new=True))
    with pytest.raises(FileExistsError):
        put_file(tmp_path / "file", b"two", is_new=True)
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("file", b"one")]


def test_writers_at_once_and_those_killed(tmp_path: Path) -> None:
    """A temporary file of a living writer is left alone, one of a writer that is gone is taken over."""
    target = tmp_path / "file"
    inside: list[set[str]] = []

    def meanwhile(handle: int) -> None:
        storage.sweep(target)
        write_file(target, b"the other")
        inside.append({each.name for each in tmp_path.iterdir()})

    os.close(put_file(target, b"one", meanwhile))
    assert inside == [{"file", ".file.0.new"}]
    assert target.read_bytes() == b"one"
    for slot in range(3):
        (tmp_path / f".file.{slot}.new").write_bytes(b"left")
    write_file(target, b"two")
    assert {each.name for each in tmp_path.iterdir()} == {"file", ".file.1.new", ".file.2.new"}
    assert read_file(target) == b"two"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    (tmp_path / ".file.0.new").symlink_to(target)
    write_file(target, b"three")
    assert target.read_bytes() == b"three"


def test_kills_leave_at_most_one_file(tmp_path: Path) -> None:
    """A process killed in the middle of writing, time after time, leaves no more than its last temporary file."""
    code = """
import os, signal, sys
from swapregret.files.storage import put_file
put_file(sys.argv[1], b"x" * 1000, lambda handle: os.kill(os.getpid(), signal.SIGKILL))
"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "file")], timeout=60, check=False)
        assert done.returncode == -signal.SIGKILL
        assert [each.name for each in tmp_path.iterdir()] == [".file.0.new"]
    write_file(tmp_path / "file", b"whole")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


HEADER = {"version": 1, "kind": "thing", "metadata": {}, "arrays": [{"name": "a", "dtype": "<f8", "shape": [2]}]}


def crafted(header: object, body: bytes = bytes(16)) -> bytes:
    """Return a file with any header and a checksum that is right."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    data = storage._MAGIC + struct.pack("<Q", len(text)) + text + body
    return data + hashlib.sha256(data).digest()


def entry(**changes: object) -> dict[str, object]:
    """Return the header with its array described otherwise."""
    return HEADER | {"arrays": [HEADER["arrays"][0] | changes]}  # type: ignore[index, operator]


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"version":' + b"1" * 5000 + b"}",
        [],
        {},
        *({name: value for name, value in HEADER.items() if name != missing} for missing in HEADER),
        HEADER | {"version": 0},
        HEADER | {"version": True},
        HEADER | {"version": -1},
        HEADER | {"version": "1"},
        HEADER | {"kind": ["thing"]},
        HEADER | {"metadata": []},
        HEADER | {"arrays": {}},
        HEADER | {"arrays": [3]},
        HEADER | {"more": 1},
        HEADER | {"arrays": HEADER["arrays"] * 2},  # type: ignore[operator]
        entry(dtype="O"),
        entry(dtype="<U4"),
        entry(dtype=">f8"),
        entry(dtype="<c16"),
        entry(dtype=None),
        entry(shape=[3]),
        entry(shape=[1]),
        entry(shape=[-2]),
        entry(shape=[2**40]),
        entry(shape=[2**39] * 8),
        entry(shape=[0, 2**39, 2**39, 2**39]),
        entry(shape=[2.0]),
        entry(shape=[True, 2]),
        entry(shape="2"),
        entry(name=3),
        entry(more=3),
    ],
)
def test_crafted_headers_are_refused(header: object) -> None:
    """With a good checksum too, a header that this library did not write is refused by the file's name."""
    assert from_bytes("thing", crafted(HEADER), "file 'x'")[1]["a"].tolist() == [0.0, 0.0]
    with pytest.raises(InvalidInput, match="file 'x' must"):
        from_bytes("thing", crafted(header), "file 'x'")


@pytest.mark.parametrize("broken", ["write", "fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_while_writing_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str, error: BaseException
) -> None:
    """Whatever fails on the way, the old file is whole, no temporary one is left, and the failure is heard of."""
    target = tmp_path / "file"
    write_file(target, b"old")
    real = os.write

    def fail(*arguments: object, **options: object) -> None:
        if broken == "write":
            real(arguments[0], bytes(arguments[1])[:2])  # type: ignore[arg-type, call-overload]
        raise error

    monkeypatch.setattr(storage.os, broken, fail)
    with pytest.raises(type(error)) as heard:
        write_file(target, b"new and longer")
    assert isinstance(error, KeyboardInterrupt) or (
        isinstance(heard.value, StorageError) and str(target) in str(heard.value)
    )
    monkeypatch.undo()
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_short_writes_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system call that takes only some bytes is called again for the rest."""
    real = os.write
    monkeypatch.setattr(storage.os, "write", lambda handle, data: real(handle, bytes(data)[:3]))
    write_file(tmp_path / "file", b"0123456789")
    monkeypatch.undo()
    assert (tmp_path / "file").read_bytes() == b"0123456789"


def test_a_file_that_another_process_removes_meanwhile_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two workers write and drop the same snapshot: one that goes between two looks at it is no error."""
    path = tmp_path / "snapshot"
    path.write_bytes(b"old")
    checks = storage.check_regular

    def check_and_lose(target: Path) -> None:
        checks(target)
        path.unlink()

    monkeypatch.setattr(storage, "check_regular", check_and_lose)
    write_file(path, b"new")
    assert path.read_bytes() == b"new"
