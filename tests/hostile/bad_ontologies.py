"""Bad ontologies and mappings: every ending with every kind of noise, and faults of each format."""

from __future__ import annotations

from collections.abc import Iterator

from hostile.bad import BOMB, GOOD, ONTOLOGY, Bad, write

_LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    + "]><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>&i;</rdf:RDF>"
)
NOISE: dict[str, bytes] = {
    "empty": b"",
    "blank": b"\n\n",
    "noise": bytes(range(256)) * 8,
    "zeros": bytes(3000),
    "a list": b"[1, 2, [3",
    "unclosed": b'{"thing": {"cat": ',
    "XML unclosed": b"<?xml version='1.0'?><a><b>",
    "XML unknown encoding": b"<?xml version='1.0' encoding='klingon'?><a/>",
    "laughs": _LAUGHS.encode(),
    "bomb": BOMB.encode(),
    "utf-16": ONTOLOGY.encode("utf-16"),
    "not UTF-8": b"thing:\n  caf\xe9: {}\n",
}
BROKEN_ONTOLOGIES: dict[str, str] = {
    "twice.yaml": "thing:\n  cat: {}\n  cat: {}\n",
    "twice-apart.yaml": "thing:\n  animal: [cat]\n  plant: [cat]\n",
    "tag.yaml": "thing: !!python/object/apply:os.system ['true']\n",
    "tabs.yaml": "thing:\n\tcat: {}\n",
    "scalar.yaml": "thing\n",
    "anchor.yaml": "thing: *nothing\n",
    "cycle.obo": ("[Term]\nid: A:1\nname: cat\nis_a: A:2\n\n[Term]\nid: A:2\nname: dog\nis_a: A:1\n"),
    "nobody.obo": "format-version: 1.2\n\n[Term]\nid: A:1\nname: cat\nis_a: A:9\n",
    "noid.obo": "format-version: 1.2\n\n[Term]\nname: cat\n",
    "open.ttl": "@prefix : <http://x/> .\n:a :b",
    "prefix.ttl": "x:a x:b x:c .",
    "entity.owl": '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
    "ragged.csv": "cat;animal;thing\ndog;animal\n",
    "one.csv": "cat\n",
    "cycle.dgh": "a|b\nb|a\n",
    "nothing.onto": "PK nothing",
    "odd.xyz": "cat",
}


def ontologies() -> Iterator[Bad]:
    def run(file: str) -> tuple[str, ...]:
        return ("anonymize", "t.csv", "--plan", "plan.yaml", "--qi", f"job:{file}", "-o", "out.csv")

    for suffix in (".yaml", ".json", ".obo", ".owl", ".ttl", ".rdf", ".csv", ".dgh", ".onto", ".xml", ".nt"):
        for name, content in NOISE.items():
            file = f"broken{suffix}"
            yield Bad("ontology", f"{suffix} of {name}", write(file, content), run(file), ("broken", "job"))
    for file, text in BROKEN_ONTOLOGIES.items():
        yield Bad("ontology", file, write(file, text), run(file), (file.partition(".")[0], "job"))
    deep = "".join("  " * 0 + f'{"{"}"c{i}": ' for i in range(3000)) + "{}" + "}" * 3000
    yield Bad("ontology", "3,000 deep", write("deep.json", deep), run("deep.json"), ("deep", "job"))
    for name in ("wordnett", "icd11", "WORDNET", "nothing.yaml", "mesh"):
        yield Bad("ontology", f"named {name}", None, run(name), (name,))
    for under in ("nobody", "", "cat; dog"):
        yield Bad("ontology", f"under {under!r}", None, (*GOOD, "--under", f"job:{under}"), ("under", "job"))


MAPPINGS: dict[str, bytes] = {
    "empty": b"",
    "no header": b"cat,cat\n",
    "no concept": b"value,thing\ncat,cat\n",
    "unknown concept": b"value,concept\ncat,nobody.n.09\n",
    "twice": b"value,concept\ncat,cat\ncat,dog\n",
    "ragged": b"value,concept\ncat\n",
    "not UTF-8": b"value,concept\ncaf\xe9,cat\n",
    "an open quote": b'value,concept\n"cat,cat\n',
    "zeros": bytes(100),
    "utf-16": "value,concept\ncat,cat\n".encode("utf-16"),
}


def mappings() -> Iterator[Bad]:
    for name, content in MAPPINGS.items():
        yield Bad(
            "mapping", name, write("m.csv", content), (*GOOD, "--mapping", "job:m.csv"), ("m.csv", "mapping")
        )
