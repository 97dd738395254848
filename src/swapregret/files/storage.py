"""Files that are whole or not there: a versioned header and raw arrays, checked, written atomically, no pickle.

Layout: the magic line, the length of the header, the header (JSON: version, what the file is, its metadata, name, type and
shape of each array), the arrays one after another, and the SHA-256 of all that. Numbers are little-endian.

A file is written as ``.NAME.0.new`` beside its place (or ``.1.new`` and so on, where several write at once), locked, and moved
there when it is whole. What a writer that was killed left behind is not locked: it is removed when the file is next used.
"""

import contextlib
import errno
import hashlib
import json
import math
import os
import stat
import struct
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from swapregret.arrays import NamedArrays
from swapregret.errors import InvalidInput, StorageError, SwapRegretError, disk_fault, is_disk_fault, lenient, said_path

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

FORMAT_VERSION = 1
_MAGIC = b"swapregret file\n"
_DIGEST = hashlib.sha256().digest_size
_HEADER = {"version": int, "kind": str, "metadata": dict, "arrays": list}
_ENTRY = {"name": str, "dtype": str, "shape": list}
_DTYPES = {"|b1", "|i1", "|u1"} | {f"<{kind}{size}" for kind in "iu" for size in (2, 4, 8)} | {"<f2", "<f4", "<f8"}
_AT_ONCE, _SWEPT = 64, 4
_HAS_LOCKS = "LOCK_EX" in dir(fcntl)
Json = dict[str, Any]
"""A JSON object or a TOML table as it was read: whoever takes a field of it checks it."""
_Place = str | os.PathLike[str]
_Made = tuple[int, Path]
"""An open file and where it is."""
_Before = Callable[[int], None]
"""What is done with the handle of a file while nobody can see it yet."""


def to_bytes(kind: str, metadata: Mapping[str, object], arrays: NamedArrays) -> bytes:
    """Write metadata and arrays as one block of bytes."""
    table: list[dict[str, object]] = []
    parts: list[bytes | memoryview] = []  # bytes, and the memory of arrays
    for name, array in arrays.items():
        plain = np.asarray(array)
        if plain.dtype.kind not in "biuf":
            raise TypeError(f"array {name!r} has dtype {plain.dtype}, not a number")
        little = np.ascontiguousarray(plain, dtype=plain.dtype.newbyteorder("<"))
        table.append({"name": name, "dtype": little.dtype.str, "shape": list(plain.shape)})
        parts.append(little.data)
    header = {"version": FORMAT_VERSION, "kind": kind, "metadata": metadata, "arrays": table}
    text = json.dumps(header, separators=(",", ":")).encode()
    body = [_MAGIC, struct.pack("<Q", len(text)), text, *parts]
    digest = hashlib.sha256()
    for part in body:
        digest.update(part)
    return b"".join([*body, digest.digest()])


def from_bytes(kind: str, data: bytes, source: str) -> tuple[Json, NamedArrays]:
    """Read metadata and arrays, or refuse with the reason; ``source`` names the file in the sentence."""
    start = len(_MAGIC) + 8
    if not isinstance(data, bytes | bytearray):
        raise _refusal(source, "be bytes", type(data).__name__, "Pass what `snapshot` returned.")
    if not data.startswith(_MAGIC) and not _MAGIC.startswith(data):
        raise _refusal(source, "be a file of this library", "a file of another kind")
    if len(data) < start + _DIGEST:
        raise _refusal(source, "be complete", f"a truncated file of {len(data)} bytes")
    (length,) = struct.unpack("<Q", data[len(_MAGIC) : start])
    try:
        header = json.loads(data[start : start + length])
    except (ValueError, RecursionError):
        header = None
    version = header.get("version") if isinstance(header, dict) else None
    if type(version) is int and version > FORMAT_VERSION:
        must = f"have format version {FORMAT_VERSION} or older"
        raise _refusal(source, must, f"version {version}", "Upgrade the library.")
    body, digest = data[:-_DIGEST], data[-_DIGEST:]
    if hashlib.sha256(body).digest() != digest:
        raise _refusal(source, "match its checksum", "a truncated or altered file")
    if not _has(header, _HEADER) or version != FORMAT_VERSION:
        fields = ", ".join(f"`{name}` of type {each.__name__}" for name, each in _HEADER.items())
        raise _refusal(source, f"have a header of format version {FORMAT_VERSION}: {fields}", f"{header!r:.80}")
    if header["kind"] != kind:
        raise _refusal(source, f"hold a {kind}", f"a {header['kind']:.80}", "Check the path.")
    arrays, position = {}, start + length
    for entry in header["arrays"]:
        if not _has(entry, _ENTRY) or entry["dtype"] not in _DTYPES or not _is_shape(entry["shape"]):
            raise _refusal(source, "name each array with a dtype of numbers and a shape", f"{entry!r:.80}")
        name, dtype, shape = entry["name"], np.dtype(entry["dtype"]), tuple(entry["shape"])
        end = position + dtype.itemsize * math.prod(shape)
        if name in arrays or end > len(body):
            raise _refusal(source, "hold each array once, whole", f"{name!r:.80}, of shape {shape}")
        try:
            block = np.frombuffer(body[position:end], dtype=dtype).reshape(shape)
        except ValueError:  # an empty array may have a shape too large for any
            raise _refusal(source, "hold arrays of possible shapes", f"{shape}") from None
        arrays[name] = block.astype(dtype.newbyteorder("="))
        position = end
    if position != len(body):
        raise _refusal(source, "end after its last array", f"{len(body) - position} bytes more")
    return header["metadata"], arrays


def _has(value: object, fields: Mapping[str, type]) -> bool:
    """Tell whether a value is a table of these fields, each of its type."""
    return isinstance(value, dict) and {name: type(item) for name, item in value.items()} == fields


def _is_shape(value: list[object]) -> bool:
    return len(value) <= 8 and all(type(length) is int and 0 <= length < 2**40 for length in value)


@contextlib.contextmanager
def reading(source: str) -> Iterator[None]:
    """Name the file in a refusal of what it holds."""
    try:
        yield
    except SwapRegretError as error:
        if source in str(error):
            raise
        raise _refusal(source, f"hold what this library writes: {error.must}", error.came, error.do) from error


def write_file(path: _Place, data: bytes) -> None:
    """Put bytes at a path atomically: a crash leaves the old file or the new one, never a part."""
    os.close(put_file(path, data))


def put_file(path: _Place, data: bytes, before: _Before = lambda handle: None, *, is_new: bool = False) -> int:
    """Put bytes at a path atomically, and return the open handle of the new file, which appends.

    The bytes are on disk under another name before they take the path's; the permissions of a file that was there stay.
    ``before`` is called with the handle while nobody can see the file yet. With ``is_new`` a file that is there already, or
    comes meanwhile, is not replaced: FileExistsError.
    """
    made: list[_Made] = []
    with _telling(made, path):
        _write_hidden(path, data, before, made)
        handle, hidden = made[0]
        (_link if is_new else os.replace)(hidden, os.path.realpath(path))
        sync_folder(path)
        return handle


def write_beside(path: _Place, data: bytes, before: _Before = lambda handle: None) -> _Made:
    """Put bytes on disk beside a path, where nobody looks for them; return the open handle and the place."""
    made: list[_Made] = []
    with _telling(made, path):
        _write_hidden(path, data, before, made)
        return made[0]


def _write_hidden(path: _Place, data: bytes, before: _Before, made: list[_Made]) -> None:
    target = Path(os.path.realpath(path))
    mode = None
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):  # another process may remove it at any moment
        check_regular(target)
        mode = stat.S_IMODE(target.stat().st_mode)
    _open_hidden(target, made)
    (handle, hidden), rest = made[0], memoryview(data)
    if mode is not None:
        os.chmod(hidden, mode)
    before(handle)
    while rest:
        rest = rest[os.write(handle, rest) :]
    os.fsync(handle)


class _telling:  # noqa: N801
    """Leave nothing behind where the block does not come to its end, a signal included, and name the file in what is told.

    What is made is put into a list by the very line that makes it, so that no signal comes in between.
    """

    def __init__(self, made: list[_Made], path: _Place) -> None:
        self._made, self._path = made, path

    def __enter__(self) -> None:
        """Refuse what is no path."""
        try:
            os.stat(os.fspath(self._path))
        except FileNotFoundError:
            return
        except (TypeError, ValueError, OSError) as error:
            raise disk_fault(error, self._path) from None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Clear up after an error."""
        if error is None:
            return
        for handle, hidden in self._made:
            os.close(handle)
            hidden.unlink(missing_ok=True)
        if (
            isinstance(error, OSError)
            and is_disk_fault(error)
            and not isinstance(error, StorageError | FileExistsError)
        ):
            raise disk_fault(error, self._path) from None


def _link(hidden: Path, target: str) -> None:
    """Give a file its name, unless another has it."""
    try:
        os.link(hidden, target)
        hidden.unlink()
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK):
            raise
        if os.path.lexists(target):  # a file system without second names
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target) from None
        os.replace(hidden, target)


def _open_hidden(target: Path, made: list[_Made]) -> None:
    """Make the file beside its place in which the next version is written, locked while its writer lives."""
    slot = 0
    while slot < _AT_ONCE:
        hidden = _hidden(target, slot)
        try:
            made.append((os.open(hidden, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o666), hidden))
        except FileExistsError:
            slot += not _remove_left(hidden)
            continue
        handle = made[0][0]
        if _HAS_LOCKS:
            fcntl.flock(handle, fcntl.LOCK_EX)
        if is_at(handle, hidden):
            return
        os.close(made.pop()[0])  # somebody took it for left behind in the moment before it was locked
    raise OSError(errno.EAGAIN, f"{_AT_ONCE} others are writing it")


def _hidden(target: Path, slot: int) -> Path:
    return target.parent / f".{target.name}.{slot}.new"


def _remove_left(hidden: Path) -> bool:
    """Remove a file whose writer is gone; tell whether it is not there any more."""
    if not _HAS_LOCKS:
        return False
    try:
        handle = os.open(hidden, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:  # not there any more; or a link, or somebody else's
        if not is_disk_fault(error):
            raise
        return isinstance(error, FileNotFoundError)
    try:
        with lenient():
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if is_at(handle, hidden):
                hidden.unlink(missing_ok=True)
            return True
        return False
    finally:
        os.close(handle)


def is_at(handle: int, path: Path) -> bool:
    """Tell whether an open file is the one at a path."""
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    return False


def sweep(path: _Place) -> None:
    """Remove what writers of a file that were killed left beside it."""
    target = Path(os.path.realpath(path))
    for slot in range(_SWEPT):
        _remove_left(_hidden(target, slot))


def sync_folder(path: _Place) -> None:
    """Wait for the disk to know the new name, where the system can; the file itself is there already."""
    with lenient():
        directory = os.open(Path(os.path.realpath(path)).parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


def read_file(path: _Place) -> bytes:
    """Read a file, or say in one sentence that it is not there."""
    try:
        sweep(path)
        check_regular(path)
        return Path(path).read_bytes()
    except (OSError, ValueError, TypeError, MemoryError) as error:
        if isinstance(error, OSError) and not is_disk_fault(error):
            raise
        said = getattr(error, "strerror", None) or str(error)
        raise InvalidInput("`path` must be a readable file", f"{said_path(path)}: {said}", "Check the path.") from None


def check_regular(path: _Place) -> None:
    """Refuse a device or a pipe, whose contents may never end: a file may name any path."""
    mode = Path(path).stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OSError(errno.EINVAL, "no file but a device or a pipe")


def _refusal(source: str, must: str, came: str, do: str = "Restore it from a copy.") -> InvalidInput:
    return InvalidInput(f"{source} must {must}", came, do)
