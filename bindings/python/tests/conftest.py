"""What the tests share."""

import os
import shutil
from pathlib import Path

import pytest


def shared():
    """The folder with public rulesheets and traces, if this machine has it."""
    default = Path(__file__).parents[4] / "shared"
    folder = Path(os.environ.get("PROPJIT_SHARED", default))
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def public():
    """That folder, or the test is skipped."""
    folder = shared()
    if folder is None:
        pytest.skip("there is no folder with public rulesheets")
    return folder


@pytest.fixture(scope="session")
def program():
    """The program, which is not part of the Python package."""
    found = os.environ.get("PROPJIT") or shutil.which("propjit")
    if found is None:
        pytest.skip("there is no program `propjit`: PROPJIT may say where it is")
    return found
