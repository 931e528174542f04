"""What stands on the page: every section, figures that agree with the evaluation, and its form."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask import report
from ontomask.assessment import figures_of
from ontomask.masking import texts_of
from ontomask.pipeline import Release
from ontomask.plan import Plan
from ontomask.report import render_report, words, write_report
from ontomask.report.changes import Change, Changes
from ontomask.report.meaning import way_in_words
from report.html_of import Html

SECTIONS = ["summary", "warnings", "plan", "sign-off", "linking", "asked", "risk"]
SECTIONS += ["records", "loss", "classes", "values", "numbers", "results", "changes"]
STYLE = (Path(report.__file__).parent / "style.css").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(release: Release, comparison: list[dict[str, Any]]) -> Html:
    return Html(render_report(release, comparison=comparison))


def answers(page: Html) -> dict[str, tuple[str, str]]:
    """Question -> (answer, text) of the summary."""
    blocks = [(name, " ".join(text.split())) for name, text in page.blocks]
    return {
        text: (blocks[i + 1][1], blocks[i + 2][1])
        for i, (name, text) in enumerate(blocks)
        if name == "h3" and text.endswith("?")
    }


def test_every_section_is_there_and_in_the_navigation(page: Html) -> None:
    ids = [tag.attributes["id"] for tag in page.named("section")]
    assert ids == [*SECTIONS, "comparison", "measures", "checks"]
    assert [t.attributes["href"] for t in page.named("a") if "li" in t.inside] == [f"#{i}" for i in ids]


def test_the_five_questions_are_answered(page: Html, release: Release) -> None:
    figures = figures_of(release)
    said = answers(page)
    assert len(said) == 5
    answer, text = said["What was masked, and how?"]
    assert answer == "4 columns: " + words.listed([c.name for c in release.columns])
    assert "SA-MDAV" in text and " Dropped: name. " in text and "dentifiers dropped" not in page.source
    assert said["Is it k-anonymous?"][0] == f"Yes, for k = {figures['smallest_class']}"
    answer, text = said["How likely does an intruder find a person?"]
    plainly = {
        name: words.percent(figures[name]).replace(words.NO_BREAK, " ")
        for name in figures
        if name in words.titled_figures() and isinstance(figures[name], float)
    }
    assert answer.startswith(f"At most {plainly['prosecutor_max']} by the masked columns alone; ")
    assert answer.endswith("% for sure if “treatment” is known, too")
    assert f"is right for {plainly['srl']} of the people" in text
    assert f"before masking for {plainly['linkage_before']}. " in text
    assert f"A blind guess: {plainly['srl_blind']}." in text and plainly["mrl"] in text
    worst = max(release.columns, key=lambda c: figures[f"semantic_loss.{c.name}"] / c.attribute.maximum).name
    assert said["Which column lost most meaning?"][0].startswith(f"{worst}: ")
    before, after = said["What did a typical value become?"][0].split(" → ")
    column = next(c for c in release.columns if before in c.labels)
    assert after in texts_of(release.columns, release.masking)[release.columns.index(column)]


def test_every_column_that_is_not_released_is_called_dropped_and_nothing_worse() -> None:
    plan = {
        "attributes": {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "smoker": {"role": "identifier"},
        },
        "others": "drop",
        "privacy": {"k": 2},
    }
    table = pa.table({"age": [1, 2], "smoker": ["yes", "no"], "ward": ["a", "b"]})
    page = Html(render_report(om.anonymize(table, plan)))
    assert answers(page)["What was masked, and how?"][1].count(" Dropped: smoker, ward. ") == 1
    assert "smoker dropped" in page.texts("tr")


def test_whether_rows_were_shuffled_is_said() -> None:
    plan = Plan.from_options(["age:numeric"], k=2)
    table = pa.table({"age": [1, 2, 8, 9]})

    def said(release: Release) -> str:
        return answers(Html(render_report(release)))["What was masked, and how?"][1].rpartition("The rows ")[
            2
        ]

    assert said(om.anonymize(table, plan)) == "were not shuffled: they stand in the order of the original."
    shuffled = om.anonymize(table, plan.replace(shuffle=True))
    assert said(shuffled).startswith("were shuffled: their order, in which equal rows stand together, has")
    import ibis

    assert said(om.anonymize(ibis.memtable(table), plan)).startswith("were not shuffled; the original has no")


def test_charts_have_a_title_and_a_description(page: Html) -> None:
    drawings = page.named("svg")
    assert len(drawings) >= 12
    ids = [tag.attributes["id"] for tag in page.tags if "id" in tag.attributes]
    assert len(ids) == len(set(ids))
    for svg in drawings:
        assert svg.attributes["role"] == "img"
        assert set((svg.attributes["aria-labelledby"] or "").split()) <= set(ids)
    inside = [t for t in page.named("title", "desc") if "svg" in t.inside]
    assert len(inside) == 2 * len(drawings)


def test_form(page: Html) -> None:
    assert page.named("html")[0].attributes["lang"] == "en"
    levels = [int(name[1]) for name, _ in page.blocks if re.fullmatch(r"h\d", name)]
    assert levels[0] == 1 and all(b - a <= 1 for a, b in pairwise(levels))
    assert len(page.named("table")) == len(page.named("caption"))
    assert all("scope" in th.attributes for th in page.named("th"))


def test_charts_say_of_how_many_values_they_show_the_most_frequent() -> None:
    """Twelve words of the original, one of them rare."""
    countries = [
        "Spain",
        "Italy",
        "France",
        "Germany",
        "Austria",
        "Poland",
        "Romania",
        "Peru",
        "Chile",
        "Kenya",
    ]
    table = pa.table({"land": [*countries, "Ghana"] * 3 + ["Japan"]})
    plan = Plan.from_options(["land:countries"], k=3).replace(release="truthful")
    release = om.anonymize(table, plan)
    changes = Changes.of(release, 0)
    assert "Shown are the 10 most frequent of 12 values before masking." in render_report(release)
    assert changes.left_out(changes.top_values(12)) == ["the 11 most frequent of 12 values before masking"]
    assert "Shown are" not in render_report(om.anonymize(table.take([*range(8)] * 3), plan))
    central = om.anonymize(table, plan.replace(release=None, privacy={"k": 6}))
    changes, written = Changes.of(central, 0), {*central.table["land"].to_pylist()}
    assert written & {*table["land"].to_pylist()}, "words that three people had stand for six"
    assert f"of {len(written)} in the release that fewer" in changes.left_out(changes.top_values(10, 1))[0]
    new = om.anonymize(table, plan.replace(privacy={"k": 6}))
    changes, written = Changes.of(new, 0), {*new.table["land"].to_pylist()}
    rows = changes.top_values(10, 1)
    assert len(rows) == 1 and len(written) > 1
    assert changes.left_out(rows) == [
        f"the 1 most frequent of {len(written)} in the release that fewer than 6 people had before",
    ]


def test_asks_for_nothing_outside(page: Html) -> None:
    assert not re.search(r"https?:|//\w|url\(|@import", page.source)
    assert not page.named("script", "img", "iframe", "object")
    links = [t.attributes["href"] for t in page.tags if t.attributes.get("href")]
    assert all(link and link.startswith(("#", "data:,")) for link in links)
    policy = next(t for t in page.named("meta") if t.attributes.get("http-equiv"))
    assert (policy.attributes["content"] or "").startswith("default-src 'none'")


def test_examples_give_the_way_in_the_ontology(page: Html) -> None:
    rows = page.texts("tr")
    assert any(re.search(r"(\w+) (\w+) \d+ \1 → \2", row) for row in rows)


def test_how_words_were_linked_is_told_without_terms_of_the_program() -> None:
    table = pa.table({"job": ["2221"] * 3 + ["nurses"] * 3})
    page = Html(render_report(om.anonymize(table, Plan.from_options(["job:occupations"], k=3))))
    (row,) = [row for row in page.texts("tr") if row.startswith("job occupations")]
    assert "1 by the ontology's own code or name, 1 by a" in row and "identifier" not in row


def test_spellings_of_one_value_are_one_in_the_linking_table() -> None:
    jobs = ["nurse"] * 3 + ["Nurse"] * 2 + [" NURSE"] + ["cook"] * 3 + ["xyzzy"] * 2 + ["Xyzzy"]
    plan = Plan.from_options(["job:wordnet"], k=3).replace(unmapped="root")
    release = om.anonymize(pa.table({"job": jobs}), plan)
    (row,) = [row for row in Html(render_report(release)).texts("tr") if row.startswith("job wordnet")]
    assert row.startswith("job wordnet 3 in 6 spellings 2 by a word")
    assert "1 without a concept" in row
    (row,) = [
        row for row in Html(render_report(release, internal=True)).texts("tr") if "(xyzzy)" in row.lower()
    ]
    plain = om.anonymize(pa.table({"job": ["nurse", "cook"] * 3}), plan)
    (row,) = [row for row in Html(render_report(plain)).texts("tr") if row.startswith("job wordnet")]
    assert row.startswith("job wordnet 2 2 by a word")


def test_ways_are_arrows_that_need_no_article_and_repeat_no_name(tmp_path: Path) -> None:
    """A list may call a group as the one above it; labels such as Europe are no nouns."""
    (tmp_path / "jobs.yaml").write_text(
        "any job:\n  Services:\n    Guards:\n      Guarding:\n        Guards (all):\n"
        "          Police:\n            policeman: {}\n            policewoman: {}\n"
    )
    wn = om.load_ontology(tmp_path / "jobs.yaml")

    def way(before: str, after: str) -> str:
        return way_in_words(wn, Change(before, after, 5, 0.2, (wn.concept(before), wn.concept(after))))

    assert way("policeman", "Police") == "policeman → Police"
    assert way("policeman", "Guarding") == "policeman → Police → Guards (all) → Guarding"
    assert way("policeman", "Guards") == "policeman → Police → Guards (all) → Guarding → Guards"
    assert (
        way("policeman", "Services") == "policeman → Police → Guards (all) → … → Services (2 steps left out)"
    )
    assert way("Police", "policeman") == "policeman lies below Police: policeman → Police"
    jobs = om.load_ontology("occupations")
    told = Change("constable", "Services", 5, 0.2, (jobs.concept("5412"), jobs.concept("5")))
    assert way_in_words(jobs, told) == "constable → Protective services workers → Services"
    assert way("policeman", "policewoman") == "policeman and policewoman both come under “Police”"


def test_the_comparison_names_every_method_and_k(page: Html, comparison: list[dict[str, Any]]) -> None:
    rows = page.texts("tr")
    for row in comparison:
        assert any(text.startswith(f"{row['method']} {row['k_asked']} ") for text in rows)
    drawn = [text for name, text in page.blocks if name == "desc" and "Risk (SRL)" in text]
    assert len(drawn) == 1 and all(f"{r['method']} k {r['k_asked']}:" in drawn[0] for r in comparison)


def test_without_a_comparison_there_is_no_such_section(release: Release) -> None:
    assert 'id="comparison"' not in render_report(release)


def test_given_figures_are_shown(release: Release) -> None:
    given = figures_of(release) | {"srl": 77.7}
    assert f"is right for 78{words.NO_BREAK}% of the people" in render_report(release, given)


def test_same_release_same_page(release: Release) -> None:
    assert render_report(release) == render_report(release)


def test_written_whole(release: Release, tmp_path: Path) -> None:
    write_report(tmp_path / "report.html", release)
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == render_report(release)
    with pytest.raises(om.OntomaskError, match="cannot write"):
        write_report(tmp_path / "nowhere" / "report.html", release)


# ---------------------------------------------------------------------- values at several levels


def mixed(rows: list[tuple[str | None, str]], method: str, k: int, **asked: Any) -> Release:
    table = pa.table({"land": [land for land, _ in rows], "sex": [sex for _, sex in rows]})
    plan = Plan.from_options(["land:countries", "sex:sex"], k=k, method=method)
    return om.anonymize(table, plan.replace(**asked))


@given(
    st.lists(st.tuples(st.sampled_from(["Italy", "Spain", "Peru", None]), st.sampled_from("FM")), min_size=8),
    st.sampled_from(["sa-mdav", "best-first"]),
)
@settings(max_examples=40, deadline=None)
def test_values_at_several_levels_are_counted_as_plain_code_does_it(
    rows: list[tuple[str | None, str]], method: str
) -> None:
    release = mixed(rows, method, 2, **({"release": "truthful"} if method == "sa-mdav" else {}))
    for j, name in enumerate(("land", "sex")):
        written = release.table[name].to_pylist()
        pairs = [(row[j], new) for row, new in zip(rows, written, strict=True) if row[j] and new]
        kept = Counter(old for old, new in pairs if old == new)
        wider = Counter(old for old, new in pairs if old != new)
        both = {old for old in kept if wider[old]}
        found = Changes.of(release, j).mixed_levels()
        assert (found is not None) == bool(both)
        if found is None:
            continue
        assert (found.values, found.of) == (len(both), len({row[j] for row in rows}))
        most = max(min(kept[old], wider[old]) for old in both)
        assert (found.example is not None) == (most >= 2)
        if found.example is not None:
            assert (found.kept, found.wider) == (kept[found.example], wider[found.example])
            assert min(found.kept, found.wider) == most


MIXED = [("Italy", "F")] * 5 + [("Italy", "M")] * 4 + [("Spain", "F")] * 5 + [("France", "F")] * 4
MIXED += [("France", "M")]


def test_analysts_are_told_where_values_stand_at_different_levels() -> None:
    page = Html(render_report(mixed(MIXED, "sa-mdav", 4, release="truthful")))
    assert (
        "Values stand at different levels: of the rows with “F”, 10 still say so and 4 say something wider. "
        "That is so of 2 of 2 values." in page.source
    )
    assert page.source.count("Values stand at different levels") == 1, "countries are as they were"
    said = answers(page)["What did a typical value become?"][1]
    assert "In sex some values stayed in some rows and became wider in others: do not count single" in said


def test_no_level_is_mixed_where_all_of_a_column_climb_alike_or_values_are_central() -> None:
    for release in (mixed(MIXED, "incognito", 4), mixed(MIXED, "sa-mdav", 4)):
        assert "different levels" not in render_report(release)
        assert "do not count single" not in render_report(release)


def test_blanked_rows_are_at_no_level() -> None:
    rows = [("Italy", "F")] * 6 + [("Italy", "M")] * 6 + [("Peru", "M"), ("Japan", "F"), ("Kenya", "F")]
    plan = Plan.from_options(["land:countries", "sex:sex"], k=3, method="suppression", blank=True)
    table = pa.table({"land": [land for land, _ in rows], "sex": [sex for _, sex in rows]})
    release = om.anonymize(table, plan)
    assert release.figures["blanked"] == 3
    assert Changes.of(release, 1, internal=True).mixed_levels() is None


def test_a_value_at_several_levels_is_not_named_where_few_people_changed() -> None:
    rows = [*MIXED[:14], *[("France", "F")] * 3, ("France", "M")]
    release = mixed(rows, "sa-mdav", 4, release="truthful")
    said = "in some rows a value is still what it was, in others something wider. That is so of 2 of 2"
    assert said in render_report(release)
    assert "of the rows with “F”, 10 still say so and 3 say" in render_report(release, internal=True)


# ---------------------------------------------------------------------- what was asked

PEOPLE = {
    "age": [20, 21, 40, 41, 60, 61],
    "ill": ["flu", "flu", "burnt hand", "flu", "flu", "burnt hand"],
}


def asked(**privacy: Any) -> Html:
    plan = Plan.from_options(["age:numeric"], confidential=["ill"]).replace(privacy=privacy)
    return Html(render_report(om.anonymize(pa.table(PEOPLE), plan)).replace(words.NO_BREAK, " "))


def test_what_was_asked_and_what_it_stops_before_and_after() -> None:
    rows = asked(k=2).texts("tr")
    assert (
        "k = 2 linking: somebody who knows a person's values finds the person's row 2 (at least 2) 1" in rows
    )
    assert any(row.startswith("ill know it for sure") and row.endswith("100 % 33 % 0 %") for row in rows)
    assert any(row.startswith("ill guess it right") and row.endswith("100 % 67 % 67 %") for row in rows)
    page = asked(k=2, l={"ill": 2}, delta={"ill": 1.5})
    rows = page.texts("tr")
    assert any(
        row.startswith("l = 2 of ill homogeneity: ") and row.endswith("2 (at least 2) 1") for row in rows
    )
    assert any(
        row.startswith("delta = 1.5 of ill ") and row.endswith("(at most 1.5) no bound holds") for row in rows
    )
    assert any(row.startswith("ill know it for sure") and row.endswith("100 % 0 % 0 %") for row in rows)
    assert "burnt hand" not in page.source, "a confidential value is nobody's business here"


def test_what_everybody_has_needs_no_group() -> None:
    plan = Plan.from_options(["age:numeric"], k=2, confidential=["ill"])
    page = render_report(om.anonymize(pa.table({"age": [1, 2], "ill": ["flu", "flu"]}), plan))
    rows = Html(page.replace(words.NO_BREAK, " ")).texts("tr")
    assert any(row.startswith("ill know it for sure") and row.endswith("100 % 100 % 100 %") for row in rows)


def test_who_is_alone_if_a_confidential_value_is_known() -> None:
    """By two: flu and flu, burn and flu, flu and burn; before, everybody's age is their own."""
    page = asked(k=2)
    assert "ill 6 100 % 4 67 %" in page.texts("tr")
    assert "Whoever knows “ill” of a person as well finds 67 % of the people for sure" in page.source
    (answer,) = [text for text in page.texts("p") if text.startswith("At most")]
    assert answer == "At most 50 % by the masked columns alone; 67 % for sure if “ill” is known, too"
    told = "Whoever also knows “ill” of a person finds the row of 4 people (67 %) for sure."
    assert told in page.texts("li")
    assert "To know a number or a day exactly" not in page.source


def test_numbers_that_are_known_exactly_are_told_apart_and_not_in_the_summary() -> None:
    plan = Plan.from_options(["age:numeric"], k=2, confidential=["pay"])
    people = pa.table({"age": PEOPLE["age"], "pay": ["1.5", "2.5", "3.5", "4.5", "5.5", "6.5"]})
    page = Html(render_report(om.anonymize(people, plan)).replace(words.NO_BREAK, " "))
    assert "pay, exactly 6 100 % 6 100 %" in page.texts("tr")
    assert "To know a number or a day exactly" in page.source and "as well finds" not in page.source
    assert "Whoever also knows “pay” of a person exactly finds the row of 6 people" in page.source
    assert "Nothing stood out" not in page.source and "No warning: " in page.source
    few = people.set_column(1, "pay", [["1.5", "1.5", "1.5", "1.5", "1.5", "6.5"]])
    for table, coding, is_advised in (
        (people, {}, True),
        (people, {"round": 0.5}, False),
        (few, {}, False),
    ):
        pay = {"role": "confidential", "kind": "numeric", **coding}
        told = render_report(om.anonymize(table, plan.replace(attributes={"pay": pay})))
        assert ("If it were rounded, or cut off at its ends, more people" in told) is is_advised


def test_what_is_central_lets_rare_values_vanish_which_is_told() -> None:
    table = pa.table({"age": [n // 3 * 10 for n in range(30)], "job": ["nurse", "nurse", "surgeon"] * 10})
    plan = Plan.from_options(["age:numeric", "job:wordnet"], k=3)
    plan = plan.replace(attributes={"job": {"weight": 0.001}})
    release = om.anonymize(table, plan)
    assert release.to_arrow()["job"].to_pylist() == ["nurse"] * 30
    said = "1 of its 2 values occurs no more and 1 of its 2 frequent ones is less than half as frequent now"
    assert said in render_report(release)
    assert said not in render_report(om.anonymize(table, plan.replace(release="truthful")))
    assert "1 of its 1 frequent" not in render_report(om.anonymize(table, plan.replace(privacy={"k": 11})))
    noisy = plan.replace(privacy={"k": None}).with_method("rank-swapping")
    assert "central to a group" not in render_report(om.anonymize(table, noisy)), "it has none"


def test_without_confidential_columns_there_is_no_attack_on_one() -> None:
    page = render_report(om.anonymize(pa.table({"age": [1, 2]}), Plan.from_options(["age:numeric"], k=2)))
    assert "calls no column confidential" in page and "Attacks on confidential columns" not in page
    assert "If somebody also knows" not in page


# ---------------------------------------------------------------------- warnings


def warnings(release: Release) -> list[str]:
    page = Html(render_report(release))
    return [text for tag, text in page.blocks if tag == "li" and len(text) > 40]


def test_warns_of_columns_that_point_at_people(release: Release) -> None:
    assert any("“cost” is released as it is" in text for text in warnings(release))


def test_warns_of_groups_with_one_confidential_value(release: Release) -> None:
    figures = figures_of(release)
    said = any("“treatment” is confidential" in text for text in warnings(release))
    assert said == (figures["l_distinct.treatment"] == 1)


def test_warns_of_suppression() -> None:
    table = pa.table({"hobby": ["chess"] * 9 + ["fishing"]})
    found = warnings(om.anonymize(table, Plan.from_options(["hobby:wordnet"], k=2, method="suppression")))
    assert any(text.startswith("1 person was left out (10") for text in found)


def test_warns_of_a_column_that_lost_nearly_everything() -> None:
    table = pa.table({"hobby": ["chess", "fishing", "reading", "swimming"] * 2})
    found = warnings(om.anonymize(table, Plan.from_options(["hobby:wordnet"], k=8)))
    assert any("“hobby” lost nearly everything" in text for text in found)


def test_notes_stand_apart_from_warnings_and_look_calmer(release: Release) -> None:
    page = render_report(release)
    top, _, said = page.partition('<section id="warnings"')
    warned, _, noted = said.partition("</section>")[0].partition('<ul class="notes">')
    assert "in the order of the original" in noted and "in the order of the original" not in warned
    assert "“cost” is released as it is" in top and "“cost” is released as it is" not in warned + noted
    assert "“treatment” is confidential, and there are groups" in warned
    assert page.count("may point at single people") == 1, "what stands beside the badge is not told again"
    assert re.search(r"\.notes li {[^}]*var\(--surface\)", STYLE)
    assert not re.search(r"\.notes li {[^}]*var\(--(care|stop)", STYLE)


def test_nothing_to_warn_of() -> None:
    table = pa.table({"hobby": ["chess"] * 5 + ["fishing"] * 5, "pid": [*"abcdefghij"]})
    plan = Plan.from_options(["hobby:wordnet"], identifiers=["pid"], k=5).replace(privacy={"unit": "pid"})
    page = render_report(om.anonymize(table, plan))
    assert "Nothing stood out" in page and "None lost any" in page
    assert '<ul class="warnings">' not in page and '<ul class="notes">' in page
    assert '<p class="status">✓ 5-anonymous' in page


def test_the_badge_follows_the_warnings_and_carries_them() -> None:
    """A name beside the masked columns: k holds, and the badge is not green."""
    people = {"name": [f"P{i}" for i in range(30)], "hobby": ["chess"] * 15 + ["fishing"] * 15}
    plan = Plan.from_options(["hobby:wordnet"], k=5, others="keep")
    page = render_report(om.anonymize(pa.table(people), plan))
    assert '<p class="status">' not in page and '<p class="status no">! 15-anonymous, but' in page
    header = page.partition('<section id="summary"')[0]
    assert "“name” is released as it is and may point at single people" in header


def test_a_report_reads_the_release_as_the_run_did() -> None:
    """What means missing in the plan means it everywhere: here it once broke the report."""
    table = pa.table({"age": ["31", "99", "31", "40", "99", "40"], "pay": ["1", "x", "2", "1", "x", "2"]})
    plan = Plan.from_dict(
        {
            "attributes": {
                "age": {"role": "quasi-identifier", "kind": "numeric"},
                "pay": {"role": "confidential", "kind": "numeric"},
            },
            "table": {"na_values": ["99", "x"]},
            "privacy": {"k": 2},
        }
    )
    release = om.anonymize(table, plan)
    assert figures_of(release)["l_distinct.pay"] == 1  # two people without a value
    assert "l-diversity of pay" in render_report(release)


# ---------------------------------------------------------------------- colours


def scheme(css: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", css))


def contrast(one: str, other: str) -> float:
    """WCAG 2: (L1 + 0.05) / (L2 + 0.05)."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_contrast(dark: bool) -> None:
    light, *rest = STYLE.split("@media screen and (prefers-color-scheme: dark)")
    colours = scheme(light) | (scheme(rest[0]) if dark else {})
    for text in ("text", "muted", "accent"):
        assert min(contrast(colours[text], colours[on]) for on in ("page", "surface")) >= 4.5
    assert all(contrast(colours[x], colours[f"{x}-surface"]) >= 4.5 for x in ("good", "care", "stop"))
    assert all(contrast(colours[f"s{i}"], colours["page"]) >= 3 for i in range(8))
    assert contrast(colours["page"], colours["s1"]) >= 4.5  # text of the marked node


def test_samples_have_names_for_all_their_measures(release: Release) -> None:
    page = Html(render_report(release))
    said = " ".join(page.texts("tr"))
    for key in figures_of(release):
        if key in words.titled_figures():
            assert words.titled_figures()[key].title in said
    # The digest of a small table lets anybody test guesses about the people in it.
    assert release.source.digest not in render_report(release)
    assert release.source.digest in render_report(release, internal=True)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"hierarchy": {"by": "prefix"}}, "codes, compared by their first characters"),
        ({"hierarchy": "jobs.csv"}, "words, compared by where they stand in the hierarchy of jobs.csv"),
        ({"ontology": "flat"}, "words that mean only themselves, all equally far apart"),
        ({"ontology": "sex"}, "words, compared by their meaning in sex"),
        ({"ontology": "icd10cm"}, "words, compared by their meaning in icd10cm"),
        ({"hierarchy": {"by": "meaning"}}, "words, compared by their meaning in wordnet"),
        ({"several": ";"}, "sets of words, compared by their meaning in wordnet"),
        ({"kind": "date"}, "dates, compared by the time between them"),
        ({"kind": "numeric", "weight": 2}, "numbers, compared by their difference; weight 2"),
    ],
    ids=str,
)
def test_what_is_said_of_each_kind_of_column(settings: dict[str, Any], said: str) -> None:
    plan = Plan.from_dict({"attributes": {"x": {"role": "quasi-identifier"} | settings}})
    assert words.column_in_words(plan.attributes["x"]) == said
