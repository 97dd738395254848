"""Files that are whole or not there: a versioned header and raw arrays, checked, written atomically, no pickle.

Layout: the magic line, the length of the header, the header (JSON: version, what the file is, its metadata, name, type and
shape of each array), the arrays one after another, and the SHA-256 of all that. Numbers are little-endian.

May touch: ``errors``.
"""

import contextlib
import hashlib
import json
import os
import secrets
import stat
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.errors import InvalidInput

__all__ = ["FORMAT_VERSION", "from_bytes", "put_file", "read_file", "to_bytes", "write_file"]

FORMAT_VERSION = 1
_MAGIC = b"swapregret file\n"
_DIGEST = hashlib.sha256().digest_size


def to_bytes(kind: str, metadata: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> bytes:
    """Write metadata and arrays as one block of bytes."""
    table, parts = [], []
    for name, array in arrays.items():
        plain = np.asarray(array)
        if plain.dtype.kind not in "biuf":
            raise TypeError(f"array {name!r} has dtype {plain.dtype}, not a number")
        little = np.ascontiguousarray(plain, dtype=plain.dtype.newbyteorder("<"))
        table.append({"name": name, "dtype": little.dtype.str, "shape": list(plain.shape)})
        parts.append(little.tobytes())
    header = json.dumps(
        {"version": FORMAT_VERSION, "kind": kind, "metadata": metadata, "arrays": table}, separators=(",", ":")
    ).encode()
    body = b"".join([_MAGIC, struct.pack("<Q", len(header)), header, *parts])
    return body + hashlib.sha256(body).digest()


def from_bytes(kind: str, data: bytes, source: str) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Read metadata and arrays, or refuse with the reason; ``source`` names the file in the sentence."""
    start = len(_MAGIC) + 8
    if not data.startswith(_MAGIC) and not _MAGIC.startswith(data):
        raise _refusal(source, "be a file of this library", "a file of another kind")
    if len(data) < start + _DIGEST:
        raise _refusal(source, "be complete", f"a truncated file of {len(data)} bytes")
    (length,) = struct.unpack("<Q", data[len(_MAGIC) : start])
    header_bytes = data[start : start + length]
    version = _version(header_bytes)
    if version is not None and version > FORMAT_VERSION:
        raise _refusal(
            source, f"have format version {FORMAT_VERSION} or older", f"version {version}", "Upgrade the library."
        )
    body, digest = data[:-_DIGEST], data[-_DIGEST:]
    if hashlib.sha256(body).digest() != digest:
        raise _refusal(source, "match its checksum", "a truncated or altered file")
    header = json.loads(header_bytes)
    if header["kind"] != kind:
        raise _refusal(source, f"hold a {kind}", f"a {header['kind']}", "Check the path.")
    arrays, position = {}, start + length
    for entry in header["arrays"]:
        dtype, shape = np.dtype(entry["dtype"]), tuple(entry["shape"])
        size = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
        block = np.frombuffer(body[position : position + size], dtype=dtype).reshape(shape)
        arrays[entry["name"]] = block.astype(dtype.newbyteorder("="))
        position += size
    return header["metadata"], arrays


def _version(header: bytes) -> int | None:
    """Return the version a header claims, if it can be read at all."""
    try:
        version = json.loads(header)["version"]
    except (ValueError, KeyError, TypeError):
        return None
    return version if isinstance(version, int) else None


def write_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Put bytes at a path atomically: a crash leaves the old file or the new one, never a part."""
    os.close(put_file(path, data))


def put_file(path: str | os.PathLike[str], data: bytes, before: Callable[[int], None] = lambda handle: None) -> int:
    """Put bytes at a path atomically, and return the open handle of the new file, which appends.

    The bytes are on disk under another name before they take the path's; the permissions of a file that was there stay.
    ``before`` is called with the handle while nobody can see the file yet.
    """
    target = Path(os.path.realpath(path))
    hidden = target.parent / f".{target.name}.{secrets.token_hex(8)}"
    handle = os.open(hidden, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o666)
    try:
        if target.exists():
            os.chmod(hidden, stat.S_IMODE(target.stat().st_mode))
        before(handle)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest) :]
        os.fsync(handle)
        os.replace(hidden, target)
    except BaseException:
        os.close(handle)
        hidden.unlink(missing_ok=True)
        raise
    _sync_directory(target.parent)
    return handle


def _sync_directory(path: Path) -> None:
    """Wait for the disk to know the new name, where the system can; the file itself is there already."""
    with contextlib.suppress(OSError):
        directory = os.open(path, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Read a file, or say in one sentence that it is not there."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InvalidInput(
            "`path` must be a readable file", f"{os.fspath(path)!r}: {error.strerror}", "Check the path."
        ) from None


def _refusal(source: str, must: str, came: str, do: str = "Restore it from a copy.") -> InvalidInput:
    return InvalidInput(f"{source} must {must}", came, do)
