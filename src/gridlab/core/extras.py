"""Optional libraries: imported when needed, and missed in a sentence."""

from importlib import import_module
from types import ModuleType
from typing import Any

from gridlab.core.errors import MissingExtra
from gridlab.core.here import remedy


def import_extra(library: str, extra: str) -> Any:
    """The library, or how to get it."""
    try:
        module: ModuleType = import_module(library)
    except ImportError as error:
        missing = library.partition(".")[0]
        raise MissingExtra(f"this needs {missing}, which is not installed: {remedy(extra)}") from error
    return module
