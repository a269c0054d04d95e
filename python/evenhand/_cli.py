"""The command ``evenhand``: the Rust program in this wheel."""

import sys

from evenhand import _evenhand


def main() -> int:
    """Run the command line and return its exit code."""
    return _evenhand.main(["evenhand", *sys.argv[1:]])
