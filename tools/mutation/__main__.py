"""``python -m tools.mutation``."""

import sys

from tools.mutation.command import main

sys.exit(main())
