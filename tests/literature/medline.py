"""MEDLINE files to test with, in the layout of the real ones."""

from __future__ import annotations

import gzip
from pathlib import Path

HEAD = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE PubmedArticleSet SYSTEM "pubmed_250101.dtd">
<PubmedArticleSet>
"""


def article(pmid: int, title: str, *sections: str, headings: str = "", types: str = "") -> str:
    """An article; `headings` and `types` are XML of their lists."""
    abstract = "".join(f'<AbstractText Label="X">{section}</AbstractText>' for section in sections)
    return f"""<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM">
<PMID Version="1">{pmid}</PMID>
<Article PubModel="Print"><Journal><Title>Of angina and other words</Title></Journal>
<ArticleTitle>{title}</ArticleTitle>
<Abstract>{abstract}<CopyrightInformation>Copyright of copying</CopyrightInformation></Abstract>
<PublicationTypeList>{types}</PublicationTypeList></Article>
<CommentsCorrectionsList><CommentsCorrections RefType="Cites"><PMID Version="1">77</PMID>
</CommentsCorrections></CommentsCorrectionsList>
<MeshHeadingList>{headings}</MeshHeadingList>
<OtherAbstract Type="Publisher" Language="spa"><AbstractText>angina de pecho</AbstractText></OtherAbstract>
</MedlineCitation><PubmedData><ArticleIdList><ArticleId IdType="pubmed">{pmid}</ArticleId></ArticleIdList>
</PubmedData></PubmedArticle>
"""


def deletion(*pmids: int) -> str:
    """The end of a file of updates."""
    listed = "".join(f'<PMID Version="1">{pmid}</PMID>' for pmid in pmids)
    return f"<DeleteCitation>{listed}</DeleteCitation>"


def heading(name: str, *qualifiers: str) -> str:
    """A MeSH heading with its subheadings."""
    inside = "".join(f'<QualifierName MajorTopicYN="N">{one}</QualifierName>' for one in qualifiers)
    return f'<MeshHeading><DescriptorName MajorTopicYN="N">{name}</DescriptorName>{inside}</MeshHeading>'


def write_medline(path: Path, *parts: str) -> Path:
    """A file of articles and deletions, gzipped if its name says so."""
    content = (HEAD + "".join(parts) + "</PubmedArticleSet>\n").encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path
