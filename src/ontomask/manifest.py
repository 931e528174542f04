"""The records of a release: how it was made, for everybody; what it was made from, for its publisher.

The public record says nothing of the input: the digest of a small table would let anybody test guesses about
the people in it, and a path tells whose table it is.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ontomask.errors import InternalError
from ontomask.plan import Plan
from ontomask.tables import Table
from ontomask.tables.options import digest_of_file

VERSION = 2
_PACKAGES = ("ontomask", "numpy", "numba", "pyarrow")


def manifest_of(plan: Plan, figures: Mapping[str, Any], notes: Sequence[str]) -> dict[str, Any]:
    """How a release was made: plan, ontologies, seed, versions, and the figures, to four digits."""
    hierarchies = {}
    for name in plan.with_role("quasi-identifier"):
        settings = plan.attributes[name]
        files = (settings.hierarchy.files if settings.hierarchy else None) or ()
        if files:
            # Built from the table, they hold its values: a digest would let them be guessed.
            hierarchies[name] = [Path(file).name for file in files]
    return {
        "version": VERSION,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "plan": {"sha256": plan.digest, "settings": plan.as_public_dict()},
        "ontologies": ontologies_of(plan),
        "hierarchies": hierarchies,
        "release": {
            name: "truthful" if plan.is_truthful(name) else "central"
            for name in plan.with_role("quasi-identifier")
        },
        "k_anonymous": plan.promises_k,
        "promised": plan.promised or ", ".join(map(str, plan.requirements())),
        "seed": plan.seed,
        "versions": {"python": platform.python_version()} | _versions(),
        "figures": {name: _rounded(value) for name, value in figures.items()},
        "notes": list(notes),
    }


@cache
def _versions() -> dict[str, str]:
    return {name: version(name) for name in _PACKAGES}


def ontologies_of(plan: Plan) -> dict[str, dict[str, str]]:
    """Name and digest of the ontology of every masked column that has one."""
    found = {}
    for name in plan.with_role("quasi-identifier"):
        settings = plan.attributes[name]
        if settings.kind == "nominal" and not settings.means_itself:
            # As it was loaded: words of the table that a run adds to it must not go into the digest.
            loaded = plan.meaning_of(settings)
            found[name] = {"name": loaded.name, "sha256": loaded.digest}
    return found


def internal_record_of(table: Table, plan: Plan, figures: Mapping[str, Any]) -> dict[str, Any]:
    """What a release was made from: table, plan with its paths, files that it names; and figures in full."""
    # Folders, of ontologies, may be large; the digest of what was loaded from them is in the manifest.
    # A key has no digest: who could guess a key could test the guess.
    secret = None if plan.privacy.key_file is None else plan.path_of(plan.privacy.key_file)
    files = {
        str(path.absolute()): digest_of_file(path) if path.is_file() and path != secret else None
        for path in plan.files()
    }
    return {
        "version": VERSION,
        "input": {
            "path": None if table.path is None else str(table.path.absolute()),
            "source": table.label,
            "digest": table.digest,
            "rows": table.n_rows,
        },
        "plan": {"sha256": plan.digest, "settings": plan.as_dict()},
        "files": files,
        "figures": dict(figures),
    }


def cost_of(table: Table, seconds: Mapping[str, float]) -> dict[str, Any]:
    """What a run read and moved, and how long it took; sizes to two digits, as they tell of the input."""
    engine = sum(seconds.get(phase, 0.0) for phase in ("reading", "verifying", "writing"))
    told = {"engine": engine, "linking": seconds.get("linking", 0.0), "masking": seconds.get("masking", 0.0)}
    sizes = {"bytes": table.n_bytes, "moved": table.moved}
    return {
        "rows": table.n_rows,
        **{name: int(float(f"{size:.1e}")) for name, size in sizes.items() if size is not None},
        "seconds": {name: round(value, 3) for name, value in told.items()},
    }


def _rounded(value: Any) -> Any:
    """To four digits: with all of them, a figure of a small table tells whether a guess at it is right."""
    return float(f"{value:.4g}") if isinstance(value, float) else value


def as_json(record: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> str:
    """Records as the text of a file; every number in it is finite."""
    try:
        return json.dumps(record, indent=2, allow_nan=False) + "\n"
    except ValueError as error:
        raise InternalError(f"a figure of the release is not finite: {error}") from error
