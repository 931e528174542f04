"""From texts to integers and back: what is written for a concept."""

from __future__ import annotations

import pyarrow as pa

import ontomask as om


def released(texts: list[str], k: int = 2) -> list[str]:
    plan = om.Plan.from_options(["job:wordnet"], k=k)
    return om.anonymize(pa.table({"job": texts}), plan).to_arrow().column("job").to_pylist()


def test_spellings_of_one_concept_become_its_most_frequent_one() -> None:
    assert set(released(["nurse", "nurses", "nurse", "Nurse"])) == {"nurse"}


def test_a_rare_phrase_is_not_released_as_it_was_written() -> None:
    texts = ["teacher at Elm Street School", "teacher of Latin", "plumber", "plumber"]
    assert released(texts) == ["teacher", "teacher", "plumber", "plumber"]


def test_a_phrase_of_k_people_may_stand_for_its_concept() -> None:
    texts = ["second residence", "second residence", "plumber", "plumber"]
    assert released(texts) == texts


def test_spellings_of_one_concept_are_one_value_before_masking_too() -> None:
    plan = om.Plan.from_options(["job:wordnet"], k=2)
    release = om.anonymize(pa.table({"job": ["nurse", "NURSE", "Nurses", "cook", "cook"]}), plan)
    assert release.figures["tuples_before"] == 2
    assert release.figures["sample_uniques_before"] == 0
