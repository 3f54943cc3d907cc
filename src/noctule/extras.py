"""Optional packages that read other programs' files."""

from importlib import import_module
from typing import Any


def require(package: str, extra: str, what: str) -> Any:
    """Import an optional package, or say which command installs it."""
    try:
        return import_module(package)
    except ModuleNotFoundError as problem:
        if problem.name != package.partition(".")[0]:
            raise
        raise ModuleNotFoundError(
            f"{what} need {problem.name}: pip install 'noctule[{extra}]'", name=problem.name
        ) from None
