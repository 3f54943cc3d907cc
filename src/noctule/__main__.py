"""`python -m noctule` runs the `noctule` command."""

import sys

from noctule.cli import main

if __name__ == "__main__":
    sys.exit(main())
