"""The check sum crc32c (Castagnoli), which Python's zlib does not have.

The data are cut into lanes of equal length, over which numpy goes side by side; the sums of the lanes
are then put together as those of data that follow each other.
"""

from __future__ import annotations

from typing import Union

import numpy as np

_POLYNOMIAL = 0x82F63B78


def _table() -> np.ndarray:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(_POLYNOMIAL), table >> 1)
    return table.astype(np.uint32)


_TABLE = _table()
_LIST = _TABLE.tolist()


def _apply(operator: np.ndarray, states: np.ndarray) -> np.ndarray:
    """The states after the zeros that the operator, a column a bit, stands for."""
    result = np.zeros_like(states)
    for bit in range(32):
        result ^= np.where((states >> np.uint32(bit)) & np.uint32(1), operator[bit], np.uint32(0))
    return result


def _zeros(length: int) -> np.ndarray:
    """The operator of so many bytes that are zero."""
    basis = np.uint32(1) << np.arange(32, dtype=np.uint32)
    power = (_TABLE[basis & np.uint32(0xFF)] ^ (basis >> np.uint32(8))).astype(np.uint32)
    operator = basis
    while length:
        if length & 1:
            operator = _apply(power, operator)
        power = _apply(power, power)
        length >>= 1
    return operator


def _bytewise(state: int, data: bytes) -> int:
    for byte in data:
        state = _LIST[(state ^ byte) & 0xFF] ^ (state >> 8)
    return state


def _update(state: int, data: Union[bytes, memoryview]) -> int:
    if len(data) < 1 << 14:
        return _bytewise(state, bytes(data))
    lanes = 4096 if len(data) >= 1 << 20 else 256
    length = len(data) // lanes
    rows = np.frombuffer(data, np.uint8, lanes * length).reshape(lanes, length)
    states = np.zeros(lanes, np.uint32)
    for column in range(length):
        states = _TABLE[(states & np.uint32(0xFF)) ^ rows[:, column]] ^ (states >> np.uint32(8))
    operator = _zeros(length)
    while len(states) > 1:
        states = _apply(operator, states[0::2]) ^ states[1::2]
        operator = _apply(operator, operator)
    before = _apply(_zeros(lanes * length), np.array([state], np.uint32))
    return _bytewise(int(before[0] ^ states[0]), bytes(data[lanes * length :]))


def crc32c(*parts: Union[bytes, memoryview]) -> int:
    """Returns the check sum of the parts, one after the other."""
    state = 0xFFFFFFFF
    for part in parts:
        state = _update(state, part)
    return state ^ 0xFFFFFFFF
