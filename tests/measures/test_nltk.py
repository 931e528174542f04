"""The `nltk` convention gives what nltk itself gives, live, on WordNet 3.0.

nltk's data is no package: the folder comes from Debian's `wordnet-base` (`ONTOMASK_WORDNET30` names another).
Where we differ on purpose, a test shows how. The counts of `ic` files are checked without nltk at the end.
"""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ontomask as om
from ontomask.measures.information import corpus
from ontomask.ontology.draft import Draft

FOLDER = Path(os.environ.get("ONTOMASK_WORDNET30", "/usr/share/wordnet"))
HALF_A_GRID_STEP = 2.0**-31 + 1e-12
PAIRS = 200
SENSE_FILES = 45
DEPTH = 19  # of the nouns; nltk finds it out in ten seconds


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """WordNet 3.0 where nltk looks for it, with two files that nltk wants and these measures do not."""
    if not (FOLDER / "data.noun").is_file():
        pytest.skip(f"WordNet 3.0 is not in {FOLDER} (install wordnet-base or set ONTOMASK_WORDNET30)")
    root = tmp_path_factory.mktemp("nltk")
    copy = root / "corpora" / "wordnet"
    shutil.copytree(FOLDER, copy, copy_function=shutil.copyfile)
    (copy / "lexnames").write_text("".join(f"{i:02d}\tfile.{i}\t1\n" for i in range(SENSE_FILES)))
    (copy / "index.sense").touch()
    return root


@pytest.fixture(scope="module")
def nltk_wordnet(data: Path) -> Iterator[Any]:
    nltk = pytest.importorskip("nltk", reason="nltk is not installed")
    from nltk.corpus.reader import WordNetCorpusReader

    nltk.data.path.append(str(data))
    with warnings.catch_warnings(action="ignore"):  # it says that it has no other languages
        reader = WordNetCorpusReader(str(data / "corpora" / "wordnet"), None)
        reader._compute_max_depth = lambda *key: reader._max_depth.update({key: DEPTH})
        yield reader
    nltk.data.path.remove(str(data))


@pytest.fixture(scope="module")
def wordnet30(data: Path) -> om.Ontology:
    return om.load_ontology(data / "corpora" / "wordnet", name="wordnet 3.0")


@pytest.fixture(scope="module")
def random_pairs(wordnet30: om.Ontology) -> np.ndarray:
    return np.random.default_rng(30).choice(len(wordnet30), (PAIRS, 2))


@pytest.fixture(scope="module")
def tangled_pairs(wordnet30: om.Ontology) -> np.ndarray:
    """Pairs of concepts with several parents, the hardest for any choice of LCS; neither above the other."""
    several = np.flatnonzero(wordnet30.parents.counts > 1)
    pairs = np.random.default_rng(31).choice(several, (PAIRS, 2))
    return np.array([(a, b) for a, b in pairs if wordnet30.lcs(a, b)[0] not in (a, b)])


def ours(wordnet: om.Ontology, pairs: np.ndarray, name: str, table: str, **options: Any) -> np.ndarray:
    measure = om.measure(name, **options)
    values: np.ndarray = getattr(measure, table)(wordnet, pairs[:, 0], pairs[:, 1])
    return values.diagonal()


def theirs(nltk_wordnet: Any, wordnet: om.Ontology, pairs: np.ndarray, name: str, *rest: Any) -> np.ndarray:
    def synset(concept: int) -> Any:
        return nltk_wordnet.synset_from_pos_and_offset("n", int(wordnet.ids[concept]))

    compare = getattr(nltk_wordnet, f"{name}_similarity")
    return np.array([compare(synset(a), synset(b), *rest) for a, b in pairs.tolist()])


@pytest.mark.parametrize("name", ["path", "lch", "wup"])
@pytest.mark.parametrize("kind", ["random_pairs", "tangled_pairs"])
def test_edge_measures(
    name: str, kind: str, nltk_wordnet: Any, wordnet30: om.Ontology, request: pytest.FixtureRequest
) -> None:
    pairs = request.getfixturevalue(kind)
    here = ours(wordnet30, pairs, name, "similarities", convention="nltk")
    np.testing.assert_allclose(here, theirs(nltk_wordnet, wordnet30, pairs, name), rtol=1e-14)


@pytest.fixture(scope="module")
def count_file(data: Path, wordnet30: om.Ontology) -> Path:
    """Counts of a made-up corpus, carried up to every hypernym, one more for each synset: no zeros."""
    rng = np.random.default_rng(32)
    counted = np.ones(len(wordnet30), int)
    for concept in rng.choice(len(wordnet30), 3000, replace=False):
        counted[wordnet30.ancestors[concept]] += rng.integers(1, 1001)
    counts = dict(zip(map(int, wordnet30.ids), counted.tolist(), strict=True))
    path = data / "ic-made-up.dat"
    lines = [f"{offset}n {count}" for offset, count in sorted(counts.items())]
    path.write_text("\n".join(["wnver::made-up", f"{lines[0]} ROOT", *lines[1:]]) + "\n")
    return path


@pytest.mark.parametrize("kind", ["random_pairs", "tangled_pairs"])
def test_information_measures(
    kind: str, count_file: Path, nltk_wordnet: Any, wordnet30: om.Ontology, request: pytest.FixtureRequest
) -> None:
    from nltk.corpus.reader import WordNetICCorpusReader

    pairs = request.getfixturevalue(kind)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    counts = WordNetICCorpusReader(str(count_file.parent), [count_file.name]).ic(count_file.name)

    def nltk_gives(name: str) -> np.ndarray:
        return theirs(nltk_wordnet, wordnet30, pairs, name, counts)

    def here(name: str, table: str) -> np.ndarray:
        return ours(wordnet30, pairs, name, table, ic=str(count_file))

    np.testing.assert_allclose(here("resnik", "similarities"), nltk_gives("res"), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(here("lin", "similarities"), nltk_gives("lin"), rtol=1e-12, atol=1e-12)
    # nltk inverts the distance; ours is on the grid of 2^-30.
    np.testing.assert_allclose(here("jcn", "matrix"), 1 / nltk_gives("jcn"), rtol=0, atol=HALF_A_GRID_STEP)


def test_n1_and_n2_may_pass_over_the_lcs(wordnet30: om.Ontology, nltk_wordnet: Any) -> None:
    """`abstraction` lies 10 links straight above `antibody`, but 8 away: up to the root and down again."""
    pair = np.array([wordnet30.concepts(["antibody.n.01", "industrial_air_pollution.n.01"])])
    assert theirs(nltk_wordnet, wordnet30, pair, "wup")[0] == pytest.approx(4 / 19)
    assert ours(wordnet30, pair, "wup", "similarities", convention="nltk")[0] == pytest.approx(4 / 19)


def test_ties_go_by_name(wordnet30: om.Ontology, nltk_wordnet: Any) -> None:
    """`artist` and `organism` have the same shortest depth: `artist` (9 nodes deep, 3 + 2 links) wins."""
    pair = np.array([wordnet30.concepts(["liszt.n.01", "modigliani.n.01"])])
    assert theirs(nltk_wordnet, wordnet30, pair, "wup")[0] == pytest.approx(18 / 23)
    assert ours(wordnet30, pair, "wup", "similarities", convention="nltk")[0] == pytest.approx(18 / 23)


def test_a_concept_is_itself_though_nltk_doubts_it(wordnet30: om.Ontology, nltk_wordnet: Any) -> None:
    """nltk takes an ancestor of `apricot` for its LCS with itself, as it is deeper by shortest paths."""
    pair = np.array([wordnet30.concepts(["apricot.n.02", "apricot.n.02"])])
    assert theirs(nltk_wordnet, wordnet30, pair, "wup")[0] == pytest.approx(9 / 11)
    assert ours(wordnet30, pair, "wup", "similarities", convention="nltk")[0] == 1


def test_order_does_not_matter_though_it_does_to_nltk(wordnet30: om.Ontology, nltk_wordnet: Any) -> None:
    """Among equally deep subsumers nltk prefers its first argument; here names decide either way."""
    down = np.array([wordnet30.concepts(["astor.n.01", "politician.n.02"])])
    up = down[:, ::-1]
    assert theirs(nltk_wordnet, wordnet30, down, "wup")[0] == pytest.approx(12 / 19)
    assert theirs(nltk_wordnet, wordnet30, up, "wup")[0] == pytest.approx(18 / 19)
    for pair in (down, up):
        assert ours(wordnet30, pair, "wup", "similarities", convention="nltk")[0] == pytest.approx(12 / 19)


# -------------------------------------------------- count files, on a taxonomy small enough to draw


def two_tops() -> om.Ontology:
    """1 and 2 are tops (below a virtual root); 3 is a 1, 4 is a 3."""
    draft = Draft("two tops")
    for number in "1234":
        draft.concept(number.zfill(8), f"c{number}")
    draft.is_a("00000003", "00000001")
    draft.is_a("00000004", "00000003")
    return draft.finish()


def content(ontology: om.Ontology, path: Path) -> dict[str, float]:
    return dict(zip(ontology.ids, corpus(ontology, path).tolist(), strict=True))


def test_total_is_the_sum_over_roots(tmp_path: Path) -> None:
    path = tmp_path / "ic.dat"
    path.write_text("wnver::x\n1n 6 ROOT\n2n 2 ROOT\n3n 4\n4n 1\n9v 7 ROOT\n")
    found = content(two_tops(), path)
    expected = {"00000001": np.log(8 / 6), "00000002": np.log(8 / 2), "00000003": np.log(8 / 4)}
    assert {key: found[key] for key in expected} == pytest.approx(expected)
    assert found["*"] == 0


def test_the_unseen_are_no_more_frequent_than_what_is_above_them(tmp_path: Path) -> None:
    path = tmp_path / "ic.dat"
    path.write_text("wnver::x\n1n 1.5 ROOT\n2n 2 ROOT\n3n 0.25\n4n 0\n")
    ontology = two_tops()
    assert content(ontology, path)["00000004"] == pytest.approx(np.log(3.5 / 0.25))
    c3, c4 = ontology.concepts(["c3", "c4"])
    assert om.measure("lin", ic=str(path)).similarities(ontology, c3, c4)[0, 0] == pytest.approx(1)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [("3n many", r"line 3: expected a synset"), ("3n", r"line 3: expected"), ("7n 1", r"no synset 00000007")],
)
def test_damaged_count_file(tmp_path: Path, line: str, complaint: str) -> None:
    path = tmp_path / "ic.dat"
    path.write_text(f"wnver::x\n1n 2 ROOT\n{line}\n")
    with pytest.raises(om.OntomaskError, match=complaint):
        corpus(two_tops(), path)


def test_empty_count_file(tmp_path: Path) -> None:
    path = tmp_path / "ic.dat"
    path.write_text("wnver::x\n1n 0 ROOT\n")
    with pytest.raises(om.OntomaskError, match="no concept was ever seen"):
        corpus(two_tops(), path)
