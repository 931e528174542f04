"""How long a collection of abstracts takes to be indexed, and a pair of terms to be counted in it.

    python benchmarks/literature.py [ABSTRACTS] [FOLDER]

The abstracts are invented, in the layout of MEDLINE: some 200 words each, drawn by Zipf's law, with sections,
headings and authors, gzipped in files of 30,000 as they are delivered. Allowed are 10 minutes for a million,
and 50 ms for the four counts of a pair of terms that was never asked for before.
"""

from __future__ import annotations

import gzip
import resource
import sys
import tempfile
import time
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from ontomask.literature import Collection, index_texts, mim

PER_FILE = 30_000
WORDS = 60_000
TERMS = ["heart disease", "cholesterol", "age", "blood pressure", "chest pain", "heart rate", "sex", "angina"]
SHARE = [0.02, 0.01, 0.2, 0.03, 0.003, 0.01, 0.05, 0.004]  # of the abstracts that have the term
SECONDS_ALLOWED, MS_ALLOWED = 600.0, 50.0
ARTICLE = """<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM"><PMID Version="1">{pmid}</PMID>\
<DateCompleted><Year>2011</Year><Month>02</Month><Day>11</Day></DateCompleted>
<Article PubModel="Print"><Journal><ISSN IssnType="Print">0000-0000</ISSN><JournalIssue CitedMedium="Print">\
<Volume>65</Volume><Issue>4</Issue><PubDate><Year>2010</Year><Month>Sep</Month></PubDate></JournalIssue>\
<Title>Journal of invented results</Title></Journal>
<ArticleTitle>{title}.</ArticleTitle><Pagination><MedlinePgn>506-15</MedlinePgn></Pagination>
<Abstract><AbstractText Label="BACKGROUND" NlmCategory="BACKGROUND">{first}</AbstractText>
<AbstractText Label="RESULTS" NlmCategory="RESULTS">{second} (<i>p</i> &lt; 0.05).</AbstractText></Abstract>
<AuthorList CompleteYN="Y">{authors}</AuthorList><Language>eng</Language>
<PublicationTypeList><PublicationType UI="D016428">{kind}</PublicationType></PublicationTypeList></Article>
<MeshHeadingList>{headings}</MeshHeadingList></MedlineCitation><PubmedData><History>\
<PubMedPubDate PubStatus="pubmed"><Year>2010</Year><Month>10</Month><Day>2</Day></PubMedPubDate></History>
<ArticleIdList><ArticleId IdType="pubmed">{pmid}</ArticleId></ArticleIdList></PubmedData></PubmedArticle>
"""
AUTHOR = """<Author ValidYN="Y"><LastName>{0}</LastName><ForeName>{1}</ForeName><Initials>{1}</Initials>\
<AffiliationInfo><Affiliation>Department of {0}, {1}.</Affiliation></AffiliationInfo></Author>"""
HEADING = (
    """<MeshHeading><DescriptorName UI="D000001" MajorTopicYN="N">{0}</DescriptorName></MeshHeading>\n"""
)


def write_collection(folder: Path, articles: int, seed: int = 0) -> None:
    """Files of invented articles."""
    rng = np.random.default_rng(seed)
    letters = np.array(list("etaoinshrdlcumwfgypbvk"))
    vocabulary = np.array(["".join(rng.choice(letters, rng.integers(3, 12))) for _ in range(WORDS)])
    chance = 1 / np.arange(1, WORDS + 1)
    steps = np.cumsum(chance / chance.sum())
    for first in range(0, articles, PER_FILE):
        count = min(PER_FILE, articles - first)
        lengths = rng.integers(120, 280, count)
        drawn = vocabulary[np.minimum(np.searchsorted(steps, rng.random(int(lengths.sum()))), WORDS - 1)]
        has = rng.random((count, len(TERMS))) < SHARE
        begin = 0
        with gzip.open(folder / f"invented26n{first // PER_FILE:04}.xml.gz", "wt", compresslevel=1) as file:
            file.write('<?xml version="1.0" encoding="utf-8"?>\n<PubmedArticleSet>\n')
            for i in range(count):
                words = drawn[begin : begin + lengths[i]].tolist()
                begin += int(lengths[i])
                words += [term for term, is_there in zip(TERMS, has[i], strict=True) if is_there]
                file.write(
                    ARTICLE.format(
                        pmid=first + i + 1,
                        title=" ".join(words[:12]),
                        first=" ".join(words[12:100]),
                        second=" ".join(words[100:]),
                        authors="\n".join(AUTHOR.format(a, b) for a, b in pairwise(words[:6])),
                        kind="Clinical Trial" if i % 20 == 0 else "Journal Article",
                        headings="".join(map(HEADING.format, words[10:20])),
                    )
                )
            file.write("</PubmedArticleSet>\n")


def main(articles: int, folder: Path) -> int:
    writing = get_context("spawn").Process(target=write_collection, args=(folder, articles))
    writing.start()  # by itself, so that its memory does not count
    writing.join()
    index = folder.parent / f"{folder.name}.literature"
    start = time.perf_counter()
    found = index_texts([folder], index)
    indexed = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    size = index.stat().st_size / 1e6
    print(f"{found:,} texts indexed: {indexed:.1f} s, {memory:,.0f} MB of memory, {size:,.0f} MB on disk")
    slowest = 0.0
    with Collection(index) as collection:
        for filter in (None, "therapy", "diagnosis"):
            for term in TERMS[1:]:
                start = time.perf_counter()
                counts = collection.counts(term, TERMS[0], filter)
                took = 1000 * (time.perf_counter() - start)
                slowest = max(slowest, took) if filter is None else slowest
                print(f"{took:7.1f} ms  {filter or '':9}  {term:14}  {counts}  MIM {mim(counts):.3f}")
    allowed = SECONDS_ALLOWED * max(articles, 10_000) / 1_000_000
    is_fast = indexed <= allowed and slowest <= MS_ALLOWED
    print(f"{'ok' if is_fast else 'TOO SLOW'}: allowed {allowed:.0f} s and {MS_ALLOWED:.0f} ms")
    return 0 if is_fast else 1


if __name__ == "__main__":
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as scratch:
        texts = Path(scratch) / "texts"
        texts.mkdir()
        sys.exit(main(asked, texts))
