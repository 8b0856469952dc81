"""`python -m anydml`: the command line."""

from __future__ import annotations

import sys

from anydml.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
