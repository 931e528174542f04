"""All bad inputs, by class: each must end with its exit code, a message that names it, and no file changed.

Where the product has a register (options of plans, formats), bad values are made for all that is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hostile.bad import Bad
from hostile.bad_ontologies import mappings, ontologies
from hostile.bad_options import options
from hostile.bad_paths import full_disks, overwrites, paths
from hostile.bad_plans import plans
from hostile.bad_tables import binary_tables, encodings, numbers, text_tables

CLASSES: tuple[Callable[[], Iterator[Bad]], ...] = (
    text_tables,
    numbers,
    encodings,
    binary_tables,
    ontologies,
    mappings,
    plans,
    options,
    paths,
    overwrites,
    full_disks,
)


def all_bad_inputs() -> list[Bad]:
    """Every bad input."""
    return [bad for one in CLASSES for bad in one()]
