"""The error of files that cannot be loaded."""

from __future__ import annotations


class LoadError(ValueError):
    """A file that is damaged, or has what this package cannot do; the text says what and where."""
