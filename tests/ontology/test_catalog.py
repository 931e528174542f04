"""Loading by name and path; the cache is fast, atomic, and harmless when damaged."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import ontomask as om
from ontomask.errors import OntologyError
from ontomask.ontology import catalog
from ontomask.ontology.draft import Draft
from ontomask.ontology.formats import nested
from ontomask.ontology.storage import read_ontology, read_summary, write_ontology


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ONTOMASK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    path = tmp_path / "pets.yaml"
    path.write_text("animal:\n  dog: {}\n  cat: {}\n")
    return path


def forget() -> None:
    """Drop the ontologies of this process, so that the next load goes to the disk."""
    catalog._loaded.clear()


def test_binary_form_keeps_everything(tmp_path: Path, wordnet: om.Ontology) -> None:
    write_ontology(wordnet, tmp_path / "copy.onto")
    copy = read_ontology(tmp_path / "copy.onto")
    for name in ("ids", "labels", "terms", "glosses"):
        assert list(getattr(copy, name)) == list(getattr(wordnet, name))
    assert copy.parents.values.tolist() == wordnet.parents.values.tolist()
    assert copy.senses.values.tolist() == wordnet.senses.values.tolist()
    assert copy.relations["has-part"].values.tolist() == wordnet.relations["has-part"].values.tolist()
    assert (copy.digest, copy.named_senses, copy.notes) == (wordnet.digest, True, ())


def test_second_load_comes_from_the_cache(cache: Path, tree: Path) -> None:
    first = om.load_ontology(tree)
    (stored,) = cache.glob("*.onto")
    marked = read_ontology(stored)
    write_ontology(marked, stored, origin="from the cache", key=read_summary(stored)["key"])
    forget()
    second = om.load_ontology(tree)
    assert second is not first and second.digest == first.digest
    assert "from the cache" in [source.origin for source in om.list_ontologies()]


def test_a_changed_file_is_read_anew(cache: Path, tree: Path) -> None:
    assert len(om.load_ontology(tree)) == 3
    tree.write_text("animal:\n  dog: {}\n")
    assert len(om.load_ontology(tree)) == 2


@pytest.mark.parametrize("damage", [b"", b"PK not a zip", None])
def test_a_damaged_cache_file_is_ignored_and_replaced(cache: Path, tree: Path, damage: bytes | None) -> None:
    om.load_ontology(tree)
    (stored,) = cache.glob("*.onto")
    whole = stored.read_bytes()
    stored.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    forget()
    assert len(om.load_ontology(tree)) == 3
    assert read_ontology(stored).name == "pets"


def test_an_unwritable_cache_costs_only_time(cache: Path, tree: Path) -> None:
    cache.write_text("a file where the folder should be")
    forget()
    assert len(om.load_ontology(tree)) == 3


def test_two_processes_may_load_at_once(cache: Path, tree: Path) -> None:
    code = f"import ontomask as om; print(len(om.load_ontology({str(tree)!r})))"
    both = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    assert [process.communicate()[0].strip() for process in both] == ["3", "3"]
    assert len(list(cache.iterdir())) == 1


def test_names_and_paths_that_are_nothing(tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match=r"no ontology 'wordnat'.*wordnet"):
        om.load_ontology("wordnat")
    (tmp_path / "photo.png").write_bytes(b"\x89PNG\r\n")
    with pytest.raises(OntologyError, match="not an ontology in a format that is known here"):
        om.load_ontology(tmp_path / "photo.png")


def test_list_names_what_ships() -> None:
    assert om.list_ontologies()[0].name == "wordnet"
    assert {"icd10cm", "icd9cm"} <= {source.name for source in om.list_ontologies()}


def test_a_byte_flipped_among_the_words_is_noticed(cache: Path, tree: Path) -> None:
    om.load_ontology(tree)
    (stored,) = cache.glob("*.onto")
    content = bytearray(stored.read_bytes())
    at = content.index(b"animal\ncat")
    content[at] ^= 1
    stored.write_bytes(content)
    forget()
    assert list(om.load_ontology(tree).labels) == ["animal", "cat", "dog"]


def test_a_cache_file_of_another_source_is_not_served(cache: Path, tree: Path, tmp_path: Path) -> None:
    other = tmp_path / "plants.yaml"
    other.write_text("plant: [oak, elm, ash]\n")
    om.load_ontology(tree)
    (of_pets,) = cache.glob("*.onto")
    om.load_ontology(other)
    (of_plants,) = set(cache.glob("*.onto")) - {of_pets}
    of_plants.replace(of_pets)
    forget()
    assert list(om.load_ontology(tree).labels) == ["animal", "cat", "dog"]


def test_a_source_that_changes_while_it_is_read_is_not_kept(
    cache: Path, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = nested.load

    def load_and_change(path: Path, name: str) -> om.Ontology:
        before = load(path, name)
        path.write_text("animal: [cow]\n")
        return before

    with monkeypatch.context() as patched:
        patched.setattr(nested, "load", load_and_change)
        assert len(om.load_ontology(tree)) == 3
    assert not list(cache.glob("*.onto"))
    tree.write_text("animal:\n  dog: {}\n  cat: {}\n")
    assert list(om.load_ontology(tree).labels) == ["animal", "cat", "dog"]


def test_what_another_version_understood_is_not_served(
    cache: Path, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    om.load_ontology(tree)
    monkeypatch.setattr(catalog, "_version", lambda: "99")
    forget()
    om.load_ontology(tree)
    assert len(list(cache.glob("*.onto"))) == 2


@pytest.mark.skipif(os.name != "posix", reason="rights of files are those of POSIX")
def test_the_cache_is_its_owners_alone(cache: Path, tree: Path) -> None:
    om.load_ontology(tree)
    (stored,) = cache.glob("*.onto")
    assert (cache.stat().st_mode & 0o777, stored.stat().st_mode & 0o777) == (0o700, 0o600)


@pytest.mark.skipif(os.name != "posix", reason="rights of files are those of POSIX")
@pytest.mark.parametrize("planted", ["writable", "a link", "another's", "a pipe"])
def test_what_somebody_else_may_have_written_is_not_served(cache: Path, tree: Path, planted: str) -> None:
    """The planted file is sound, has the right key, and says something else."""
    om.load_ontology(tree)
    (stored,) = cache.glob("*.onto")
    key = read_summary(stored)["key"]
    write_ontology(Draft.from_edges("pets", [("cow", "animal")]), stored, key=key)
    match planted:
        case "writable":
            stored.chmod(0o620)
        case "a link":
            stored.replace(cache / "elsewhere")
            stored.symlink_to("elsewhere")
        case "another's" if os.getuid() == 0:
            os.chown(stored, 12345, -1)
        case "a pipe":
            stored.unlink()
            os.mkfifo(stored)
        case _:
            pytest.skip("only the administrator can give files away")
    forget()
    assert list(om.load_ontology(tree).labels) == ["animal", "cat", "dog"]
