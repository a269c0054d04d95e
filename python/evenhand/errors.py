"""What can go wrong, as exceptions and warnings."""

from __future__ import annotations


class EvenhandError(Exception):
    """A command that failed. Its text says what is wrong, where, and what to do."""


class InputError(EvenhandError, ValueError):
    """A setting or an input that cannot be used."""


class JudgeError(EvenhandError):
    """A judge that cannot be used, or that came to no verdict at all."""


class Stopped(EvenhandError):
    """A run that reached a limit of its own. The same call with a higher limit goes on from there."""


class EvenhandWarning(UserWarning):
    """Something that a reader of the result should know."""
