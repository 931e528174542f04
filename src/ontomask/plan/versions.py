"""Plans of other versions: older ones are converted step by step, newer ones are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ontomask.plan.faults import Faults
from ontomask.plan.values import natural, shown

VERSION = 1

# From version n to n + 1: a function of the tree as it was read.
UPGRADES: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}


def upgraded(tree: dict[str, Any], faults: Faults) -> dict[str, Any] | None:
    """The tree as a plan of this version; None if it is of a version that cannot be read.

    A plan that names no version is of version 1.
    """
    found = natural(tree.get("version"))
    version = 1 if found is None else found
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        faults.add(("version",), f"must be a whole number, 1 or more, not {shown(version)}", value=version)
        return None
    if version > VERSION:
        text = f"this plan is of version {version}, and this ontomask reads plans up to version {VERSION}"
        faults.add(("version",), text, "update ontomask", version)
        return None
    for older in range(version, VERSION):
        tree = UPGRADES[older](tree)
    return {**tree, "version": VERSION} if "version" in tree else tree
