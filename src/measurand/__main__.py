"""python -m measurand."""

from measurand.cli import main

if __name__ == "__main__":
    main()
