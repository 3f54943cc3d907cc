import os
from pathlib import Path

import pytest
from hypothesis import settings

from noctule.core import progress

# Tests compile the kernels that they call, in their own process. Many run at once. They read what
# commands write, which says that kernels are being compiled only if they are.
os.environ.setdefault("NOCTULE_JOBS", "0")
progress.quiet = True

settings.register_profile("noctule", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("noctule")

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"


def pytest_addoption(parser):
    parser.addoption(
        "--cases",
        type=int,
        default=300,
        help="how many generated worlds to try (100000 at night)",
    )


@pytest.fixture
def cases(request):
    return request.config.getoption("--cases")


@pytest.fixture(scope="session")
def data():
    """The public benchmark maps, where they are."""
    folder = Path(os.environ.get("NOCTULE_DATA", DATA))
    if not folder.is_dir():
        pytest.skip(f"benchmark maps are not at {folder}; NOCTULE_DATA names another place")
    return folder
