"""``python -m evenhand``."""

import sys

from evenhand._cli import main

sys.exit(main())
