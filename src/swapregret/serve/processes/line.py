"""Messages between the server and its own processes: a length, and a pickled value. Nothing of a client is ever unpickled."""

import os
import pickle
import socket
from pathlib import Path
from typing import Any

_LENGTH = 8


def packed(value: object) -> bytes:
    """Return a value as it travels."""
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return len(data).to_bytes(_LENGTH, "big") + data


def length_of(head: bytes | bytearray) -> int:
    """Return how many bytes follow the first ones."""
    return int.from_bytes(head, "big")


def receive(line: socket.socket) -> Any:
    """Wait for the next value; EOFError when the other end is gone."""
    return pickle.loads(_exactly(line, length_of(_exactly(line, _LENGTH))))


def _exactly(line: socket.socket, size: int) -> bytearray:
    data = bytearray()
    while len(data) < size:
        piece = line.recv(min(size - len(data), 1 << 20))
        if not piece:
            raise EOFError("the other end is gone")
        data += piece
    return data


def resident(pid: int) -> int:
    """Return the resident memory of a process, 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError):
        return 0
