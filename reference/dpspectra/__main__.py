"""``python -m dpspectra`` is the command line."""

from dpspectra.cli import main

if __name__ == "__main__":
    main()
