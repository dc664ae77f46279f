"""Optional libraries: imported when needed, and missed in a sentence."""

from importlib import import_module
from types import ModuleType
from typing import Any

from gridlab.core.errors import MissingExtra


def import_extra(library: str, extra: str) -> Any:
    """The library, or how to get it."""
    try:
        module: ModuleType = import_module(library)
    except ImportError as error:
        raise MissingExtra(
            f"this needs {library.partition('.')[0]}, which is not installed: pip install 'gridlab[{extra}]'"
        ) from error
    return module
