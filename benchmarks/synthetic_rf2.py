"""Write a made-up SNOMED CT release in RF2: the size and shape of the real one, none of its content.

`python benchmarks/synthetic_rf2.py FOLDER [--concepts N --is-a E --seed S]` writes Concept, Description,
Relationship and language reference set snapshots: one root, several parents for many concepts, levels in
a bell around 8 and down to 18, some inactive rows, some "Finding site" relationships.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from ontomask.arrays import Int64

ROOT, IS_A, FINDING_SITE = 138875005, 116680003, 363698007
MODULE, DATE = "900000000000207008", "20240101"
FULL_NAME, SYNONYM = "900000000000003001", "900000000000013009"
US_ENGLISH, PREFERRED, ACCEPTABLE = "900000000000509007", "900000000000548007", "900000000000549004"
PRIMITIVE, CASE_INSENSITIVE = "900000000000074008", "900000000000448009"
INFERRED, SOME = "900000000000011006", "900000000000451002"

LEVELS, MEAN_LEVEL, SPREAD = 18, 8.0, 2.8
EXTRA_PARENT_REACH = 4
INACTIVE_SHARE = 0.05
# fmt: off
TAGS = [
    "disorder", "finding", "procedure", "organism", "substance", "product", "body-structure", "event",
    "situation", "object",
]
QUALIFIERS = [
    "acute", "chronic", "mild", "severe", "recurrent", "early", "late", "left", "right", "bilateral",
    "partial", "complete", "primary", "secondary", "benign", "suspected", "healed", "open", "closed",
    "deep", "superficial", "anterior", "posterior", "lateral", "medial", "transient", "fixed",
    "congenital", "acquired", "diffuse",
]
KINDS = [
    "swelling", "lesion", "injury", "inflammation", "deformity", "stiffness", "weakness", "infection",
    "tear", "bruise", "burn", "growth", "bleeding", "ulcer", "spasm", "scar", "blockage", "dilation",
    "loss", "pain", "repair", "removal", "drainage", "imaging", "biopsy", "implant", "measurement",
    "observation", "exposure", "reaction",
]
SITES = [
    "elbow", "knee", "wrist", "ankle", "shoulder", "hip", "finger", "toe", "neck", "back", "chest",
    "abdomen", "scalp", "jaw", "cheek", "palm", "heel", "thigh", "forearm", "rib", "spleen", "kidney",
    "liver", "lung", "bladder", "colon", "retina", "cornea", "eardrum", "tongue",
]
# fmt: on


def write_release(folder: Path, concepts: int = 350_000, is_a: int = 500_000, seed: int = 0) -> None:
    """Write the release; the same arguments give the same files."""
    if concepts < 100 or not concepts - 1 <= is_a <= 2 * concepts:
        raise SystemExit("need at least 100 concepts, and between N - 1 and 2 N is-a rows")
    rng = np.random.default_rng(seed)
    level = _levels(concepts, rng)
    first_parent = _first_parents(level, rng)
    child, parent = _is_a_pairs(level, first_parent, is_a, rng)
    ids = 10_000_000_000 + 1_000 * rng.permutation(concepts) + 5
    ids[:3] = ROOT, IS_A, FINDING_SITE
    retired = 90_000_000_000 + 1_000 * np.arange(int(concepts * INACTIVE_SHARE)) + 5

    terminology, refset = folder / "Snapshot" / "Terminology", folder / "Snapshot" / "Refset" / "Language"
    terminology.mkdir(parents=True, exist_ok=True)
    refset.mkdir(parents=True, exist_ok=True)
    _write_concepts(terminology / f"sct2_Concept_Snapshot_INT_{DATE}.txt", ids, retired)
    accepted = _write_descriptions(
        terminology / f"sct2_Description_Snapshot-en_INT_{DATE}.txt", ids, _tags(level, first_parent), rng
    )
    _write_relationships(
        terminology / f"sct2_Relationship_Snapshot_INT_{DATE}.txt", ids, child, parent, retired, rng
    )
    _write_language(refset / f"der2_cRefset_LanguageSnapshot-en_INT_{DATE}.txt", accepted, rng)


def _levels(n: int, rng: np.random.Generator) -> Int64:
    """Level of every concept, ascending: the root alone at 0, then a bell over 1..LEVELS, none empty."""
    levels = np.arange(1, LEVELS + 1)
    weight = np.exp(-((levels - MEAN_LEVEL) ** 2) / (2 * SPREAD**2))
    drawn = rng.choice(levels, n - 3 - LEVELS, p=weight / weight.sum())
    return np.sort(np.concatenate([[0, 1, 1], levels, drawn]))


def _parents_between(level: Int64, low: Int64, high: Int64, rng: np.random.Generator) -> Int64:
    """A random concept of a level in [low, high] for each; the square makes some parents popular."""
    start = np.searchsorted(level, low)
    end = np.searchsorted(level, high, side="right")
    return start + ((end - start) * rng.random(len(low)) ** 2).astype(np.int64)


def _first_parents(level: Int64, rng: np.random.Generator) -> Int64:
    """One parent per concept, one level up; index 0 is the root, which keeps itself."""
    first = _parents_between(level, level - 1, level - 1, rng)
    first[0] = 0
    return first


def _is_a_pairs(
    level: Int64, first_parent: Int64, is_a: int, rng: np.random.Generator
) -> tuple[Int64, Int64]:
    """`is_a` distinct links, every one from a level to a higher one, so that no cycle can arise."""
    n = len(level)
    pairs = np.arange(1, n) * n + first_parent[1:]
    low_enough = np.flatnonzero(level > 1)
    while len(pairs) < is_a:
        child = rng.choice(low_enough, is_a - len(pairs))
        parent = _parents_between(
            level, np.maximum(1, level[child] - EXTRA_PARENT_REACH), level[child] - 1, rng
        )
        pairs = np.unique(np.concatenate([pairs, child * n + parent]))
    return np.divmod(pairs, n)


def _tags(level: Int64, first_parent: Int64) -> Int64:
    """The tag of a top-level concept goes down to all below it."""
    tag = np.arange(len(level)) % len(TAGS)
    for depth in range(2, LEVELS + 1):
        here = np.flatnonzero(level == depth)
        tag[here] = tag[first_parent[here]]
    return tag


def _label(i: int) -> str:
    if i < 3:
        return ("Synthetic root", "Is a", "Finding site")[i]
    rest, qualifier = divmod(i, len(QUALIFIERS))
    rest, kind = divmod(rest, len(KINDS))
    rest, site = divmod(rest, len(SITES))
    grade = f", grade {rest + 1}" if rest else ""
    return f"{QUALIFIERS[qualifier].capitalize()} {KINDS[kind]} of {SITES[site]}{grade}"


def _write(path: Path, header: str, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\r\n") as file:
        file.write(header.replace(" ", "\t") + "\n")
        file.writelines(lines)


def _write_concepts(path: Path, ids: Int64, retired: Int64) -> None:
    _write(
        path,
        "id effectiveTime active moduleId definitionStatusId",
        (
            f"{concept}\t{DATE}\t{active}\t{MODULE}\t{PRIMITIVE}\n"
            for active, some in ((1, ids), (0, retired))
            for concept in some.tolist()
        ),
    )


def _write_descriptions(
    path: Path, ids: Int64, tags: Int64, rng: np.random.Generator
) -> list[tuple[int, str]]:
    """A full name and one or two synonyms each; returns (description id, acceptability)."""
    accepted: list[tuple[int, str]] = []
    lines: list[str] = []
    has_second = (rng.random(len(ids)) < 0.5).tolist()
    for i, (concept, tag) in enumerate(zip(ids.tolist(), tags.tolist(), strict=True)):
        label = _label(i)
        terms = [(FULL_NAME, f"{label} ({TAGS[tag]})", PREFERRED), (SYNONYM, label, PREFERRED)]
        if has_second[i]:
            terms.append((SYNONYM, f"{label}, unspecified", ACCEPTABLE))
        for kind, term, acceptability in terms:
            description = 1_000 * len(accepted) + 20_000_000_017
            accepted.append((description, acceptability))
            lines.append(
                f"{description}\t{DATE}\t1\t{MODULE}\t{concept}\ten\t{kind}\t{term}\t{CASE_INSENSITIVE}\n"
            )
    _write(
        path,
        "id effectiveTime active moduleId conceptId languageCode typeId term caseSignificanceId",
        lines,
    )
    return accepted


def _write_relationships(
    path: Path, ids: Int64, child: Int64, parent: Int64, retired: Int64, rng: np.random.Generator
) -> None:
    sited = rng.integers(3, len(ids), len(ids) // 2)
    groups = [
        (1, ids[child], ids[parent], IS_A),
        (1, ids[sited], ids[rng.integers(3, len(ids), len(sited))], FINDING_SITE),
        (0, retired, np.full(len(retired), ROOT), IS_A),
    ]
    rows = (
        (active, source, target, kind)
        for active, sources, targets, kind in groups
        for source, target in zip(sources.tolist(), targets.tolist(), strict=True)
    )
    _write(
        path,
        "id effectiveTime active moduleId sourceId destinationId relationshipGroup typeId "
        "characteristicTypeId modifierId",
        (
            f"{1_000 * i + 30_000_000_029}\t{DATE}\t{active}\t{MODULE}\t{source}\t{target}\t0\t{kind}"
            f"\t{INFERRED}\t{SOME}\n"
            for i, (active, source, target, kind) in enumerate(rows)
        ),
    )


def _write_language(path: Path, accepted: list[tuple[int, str]], rng: np.random.Generator) -> None:
    digits = rng.bytes(16 * len(accepted)).hex()
    _write(
        path,
        "id effectiveTime active moduleId refsetId referencedComponentId acceptabilityId",
        (
            f"{_uuid(digits[32 * i : 32 * i + 32])}\t{DATE}\t1\t{MODULE}\t{US_ENGLISH}\t{description}"
            f"\t{acceptability}\n"
            for i, (description, acceptability) in enumerate(accepted)
        ),
    )


def _uuid(h: str) -> str:
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Write a synthetic SNOMED CT release in RF2.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--concepts", type=int, default=350_000)
    parser.add_argument("--is-a", type=int, default=500_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    write_release(options.folder, options.concepts, options.is_a, options.seed)


if __name__ == "__main__":
    main()
