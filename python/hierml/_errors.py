"""The error of files that cannot be loaded, and what texts of files look like in it."""

from __future__ import annotations

import re
from typing import Any

# Characters that a terminal would interpret: control characters, those that change the text direction, line breaks,
# and bytes that are not UTF-8.
_HIDDEN = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    """Returns the text with characters that a terminal would interpret as escapes, such as \\x1b."""

    def escape(match: "re.Match[str]") -> str:
        code = ord(match.group())
        if 0xDC80 <= code <= 0xDCFF:  # a byte, as surrogateescape has it
            code -= 0xDC00
            return f"\\x{code:02x}"
        return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}"

    return _HIDDEN.sub(escape, text)


def quote(value: Any) -> str:
    """Returns a value of JSON for a message, cut to a readable length."""
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "an object"
    return repr(value) if not isinstance(value, str) or len(value) <= 60 else repr(value[:60]) + "..."


class UnknownTextWarning(UserWarning):
    """Means that texts have no term that the model knows, so their labels are meaningless."""


class LoadError(ValueError):
    """A file that is damaged, or has something that this package does not support; the text says what and where."""

    def __init__(self, text: str) -> None:
        super().__init__(visible(text))
