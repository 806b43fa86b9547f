"""Files in the safetensors layout, read with numpy alone: a length, a header in JSON, the bytes of arrays.

Nothing in a file is trusted: every array has the bytes that its shape asks for, and all of them together
are what follows the header, before any is looked at.
"""

from __future__ import annotations

import os
from typing import Any, Dict, List, Tuple, Union

import numpy as np

from ._crc32c import crc32c
from ._errors import LoadError, quote
from ._settings import parse

_TYPES = {"U8": "u1", "U16": "<u2", "U32": "<u4", "U64": "<u8", "I32": "<i4", "I64": "<i8", "F16": "<f2", "F32": "<f4", "F64": "<f8"}
_MOST_HEADER = 100_000_000
_CHECK = b'"crc32c":"'


class Arrays:
    """The arrays of a file by name, and its metadata."""

    def __init__(self, metadata: Dict[str, str], arrays: Dict[str, np.ndarray]) -> None:
        self.metadata = metadata
        self._arrays = arrays

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def array(self, name: str) -> np.ndarray:
        """Returns the array of a name."""
        if name not in self._arrays:
            raise LoadError(f"there is no tensor {quote(name)}")
        return self._arrays[name]

    def floats(self, name: str, dimensions: int = 1) -> np.ndarray:
        """Returns an array of finite numbers."""
        values = self.array(name)
        if values.dtype.kind != "f" or values.ndim != dimensions:
            raise LoadError(f"tensor {quote(name)} has type {values.dtype} and shape {list(values.shape)}; expected floats in {dimensions} dimensions")
        if not np.isfinite(values).all():
            raise LoadError(f"tensor {quote(name)} has a value that is not finite")
        return values

    def indices(self, name: str, below: int, dimensions: int = 1) -> np.ndarray:
        """Returns an array of whole numbers from 0 to below-1."""
        values = self.array(name)
        if values.dtype.kind not in "iu" or values.ndim != dimensions:
            raise LoadError(f"tensor {quote(name)} has type {values.dtype} and shape {list(values.shape)}; expected whole numbers in {dimensions} dimensions")
        if values.size and (int(values.min()) < 0 or int(values.max()) >= below):
            raise LoadError(f"tensor {quote(name)} has values from {int(values.min())} to {int(values.max())}; expected 0 to {below - 1}")
        return values.astype(np.int64)

    def borders(self, name: str, end: int) -> np.ndarray:
        """Returns where each of a number of parts begins and the last ends, which is at end."""
        values = self.indices(name, end + 1)
        if not len(values) or values[0] != 0 or values[-1] != end or (np.diff(values) < 0).any():
            raise LoadError(f"{name} do not run from 0 to {end}")
        return values

    def texts(self, name: str) -> List[str]:
        """Returns the strings whose bytes lie one after the other."""
        content = self.array(name)
        if content.dtype != np.uint8 or content.ndim != 1:
            raise LoadError(f"tensor {quote(name)} is no text")
        data = content.tobytes()
        borders = self.borders(name + ".offsets", len(data)).tolist()
        return [data[lo:hi].decode("utf-8", "surrogateescape") for lo, hi in zip(borders, borders[1:])]


def read(path: Union[str, "os.PathLike[str]"]) -> Arrays:
    """Reads a file."""
    with open(path, "rb") as file:
        return arrays(file.read())


def arrays(whole: bytes) -> Arrays:
    """Returns the arrays in the bytes of a file, whose memory they share."""
    data = memoryview(whole)
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length < 2 or length > _MOST_HEADER or length > len(data) - 8:
        raise LoadError(f"a header of {length} bytes in a file of {len(data)}; the file is damaged, or of another format")
    text, content = bytes(data[8 : 8 + length]), data[8 + length :]
    if text[:1] != b"{":
        raise LoadError("the header is not JSON; the file is damaged, or of another format")
    header = parse("the header", text)
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise LoadError("the metadata are not strings")
    _verify(metadata, text, content)
    found = {}
    at = 0
    for name, info in sorted(header.items(), key=lambda item: _offsets(*item)):
        begin, end = _offsets(name, info)
        kind, shape = info.get("dtype"), info.get("shape")
        if not isinstance(kind, str) or kind not in _TYPES:
            raise LoadError(f"tensor {quote(name)} has the type {quote(kind)}; there are {', '.join(_TYPES)}")
        if not isinstance(shape, list) or not all(type(size) is int and 0 <= size < 1 << 62 for size in shape):
            raise LoadError(f"tensor {quote(name)} has the shape {quote(shape)}")
        dtype = np.dtype(_TYPES[kind])
        need = 0 if 0 in shape else dtype.itemsize
        for size in shape:
            need *= size
            if need > len(content):
                raise LoadError(f"tensor {quote(name)} has a shape that asks for more than the {len(content)} bytes of all tensors")
        if begin != at or end - begin != need or end > len(content):
            raise LoadError(f"tensor {quote(name)} is said to be at {begin} to {end} of {len(content)} bytes, after one that ends at {at}; its type and shape ask for {need}")
        try:
            found[name] = np.frombuffer(content, dtype, need // dtype.itemsize, begin).reshape(shape) if need else np.empty(shape, dtype)
        except ValueError as error:  # more dimensions, or a larger empty array, than numpy has
            raise LoadError(f"tensor {quote(name)} has the shape {quote(shape)}: {error}") from error
        at = end
    if at != len(content):
        raise LoadError(f"the tensors end at byte {at} of {len(content)}; the file is damaged or not complete")
    return Arrays(metadata, found)


def _offsets(name: str, info: Any) -> Tuple[int, int]:
    offsets = info.get("data_offsets") if isinstance(info, dict) else None
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(type(offset) is int for offset in offsets):
        raise LoadError(f"tensor {quote(name)} needs a dtype, a shape and two data_offsets")
    return offsets[0], offsets[1]


def _verify(metadata: Dict[str, str], text: bytes, content: memoryview) -> None:
    """Compares the check sum, where there is one, with that of everything else in the file."""
    given = metadata.get("crc32c")
    if given is None:
        return
    at = text.find(_CHECK) + len(_CHECK)
    if at < len(_CHECK) or text[at : at + 9] != given.encode("utf-8", "replace") + b'"' or len(given) != 8:
        raise LoadError(f"the check sum {quote(given)} is not in the form in which it is written")
    got = f"{crc32c(text[:at] + b'0' * 8 + text[at + 8 :], content):08x}"
    if got != given:
        raise LoadError(f"the check sum is {got}, the file says {given}; the file is damaged")
