"""Requests as batch files for a provider, and their results: the commands ``evenhand batch …``."""

from evenhand._commands import batch_export as export
from evenhand._commands import batch_import as import_
from evenhand._commands import batch_run as run

__all__ = ["export", "import_", "run"]
