"""``python -m evenhand``."""

import sys

from evenhand._cli import main

if __name__ == "__main__":
    sys.exit(main())
