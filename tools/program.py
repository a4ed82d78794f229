"""The program that the other scripts run: the one that the variable PROPJIT names, or the release build."""

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = os.environ.get("PROPJIT", str(ROOT / "target/release/propjit"))
PROGRAM = os.path.abspath(shutil.which(NAME) or NAME)


def require_program() -> None:
    """Ends the script if there is no such program."""
    if shutil.which(PROGRAM) is None:
        sys.exit(f"there is no program {PROGRAM}: run `cargo build --release` first, or set PROPJIT")
