"""The record of a release: what went in, what was asked for, with what, and the figures that were checked."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ontomask.columns import Column
from ontomask.plan import Plan
from ontomask.tables import Table
from ontomask.tables.options import digest_of

VERSION = 1
_PACKAGES = ("ontomask", "numpy", "numba", "pyarrow")


def manifest_of(
    table: Table,
    plan: Plan,
    columns: Sequence[Column],
    figures: Mapping[str, Any],
    notes: Sequence[str],
) -> dict[str, Any]:
    """Everything needed to repeat a release, as JSON."""
    return {
        "version": VERSION,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "input": {"source": Path(table.label).name, "sha256": table.digest, "rows": table.n_rows},
        "plan": {"sha256": plan.digest, "settings": plan.as_dict()},
        "ontologies": {
            c.name: {"name": c.ontology.name, "sha256": c.ontology.digest}
            for c in columns
            if c.ontology is not None
        },
        "mappings": {
            name: digest_of(plan.path_of(settings.mapping))
            for name, settings in plan.attributes.items()
            if settings.mapping
        },
        "seed": plan.seed,
        "versions": {"python": platform.python_version()} | {name: version(name) for name in _PACKAGES},
        "figures": dict(figures),
        "notes": list(notes),
    }
