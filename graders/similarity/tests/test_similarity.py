"""Copies are found whatever was done to hide them; what was written apart, given or retold is not (S10)."""

from __future__ import annotations

import string
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.similarity.answers import Given, Part, fingerprints, plain_answer
from graders.similarity.compare import Shared, compare
from graders.similarity.tests.disguises import commented, first_half, methods_reordered, renamed
from graders.similarity.tokens import CODE, PROSE, symbols_of
from graders.similarity.winnowing import GRAINS, runs, winnowed
from scenarios.packs import Pack, all_packs, load_pack

LEVEL = "senior"
PROGRAMS = [
    (pack.name, name)
    for pack in all_packs()
    if pack.kind == "automation"
    for name in ("competent", "expert")
]
REMARKS = st.lists(st.text(string.ascii_letters + " ", min_size=1, max_size=30), min_size=1)
TOLD = """
The dataset is read from the shared file system by every worker, and since the upgrade of the storage
servers each of them opens the same hundred thousand small files at the start of an epoch. The metadata
server answers one after the other. I would pack the samples into shards of a few hundred megabytes,
let each rank read its own shards in a fixed order, and keep the next one in local NVMe while the step runs.
"""
RETOLD = """
At the beginning of every epoch all loaders go through an enormous number of tiny files, and the metadata
service of the storage, which has been slower since it was upgraded, becomes the queue in which they stand.
My proposal: bundle samples into big archives, assign archives to ranks once, prefetch to the node's own disk.
"""


@cache
def materials(name: str) -> Given:
    pack = load_pack(name)
    texts = [*pack.template(LEVEL).items()]
    return Given.of([*texts, *((one.path, one.text) for one in pack.documents(LEVEL))])


def program(name: str, golden: str) -> str:
    return load_pack(name).golden(LEVEL, golden)


@cache
def answer(path: str, source: str, name: str) -> list[Part]:
    return plain_answer({path: source}, materials(name) if name else Given())


def shared(first: str, second: str, name: str = "", path: str = "controller.py") -> Shared:
    return compare(answer(path, first, name), answer("other.py", second, name))


@given(st.sampled_from(PROGRAMS), st.sampled_from(["x", "my_", "Wert"]))
@settings(max_examples=12, deadline=None)
@pytest.mark.nightly
def test_other_names_hide_nothing(which: tuple[str, str], stem: str) -> None:
    source = program(*which)
    found = shared(source, renamed(source, stem), which[0])
    assert found.is_found
    assert found.share(CODE) > 0.9


@given(st.sampled_from(PROGRAMS), REMARKS)
@settings(max_examples=12, deadline=None)
def test_comments_and_layout_hide_nothing(which: tuple[str, str], remarks: list[str]) -> None:
    source = program(*which)
    other = commented(source, remarks)
    signs = [one.sign for one in symbols_of(source, CODE)]
    assert [one.sign for one in symbols_of(other, CODE)] == signs


@given(st.sampled_from(PROGRAMS), st.integers(0, 9))
@settings(max_examples=12, deadline=None)
@pytest.mark.nightly
def test_another_order_of_functions_hides_little(which: tuple[str, str], seed: int) -> None:
    source = program(*which)
    found = shared(source, methods_reordered(renamed(source), seed), which[0])
    assert found.is_found
    assert found.share(CODE) > 0.4


@given(st.sampled_from(PROGRAMS), st.sampled_from(PROGRAMS))
@settings(max_examples=10, deadline=None)
@pytest.mark.nightly
def test_half_of_a_program_in_another_is_found_where_it_stands(
    taken: tuple[str, str], own: tuple[str, str]
) -> None:
    half = first_half(renamed(program(*taken)))
    both = program(*own) + "\n\n" + half
    found = compare(plain_answer({"a.py": program(*taken)}), plain_answer({"b.py": both}))
    assert found.is_found
    ends = program(*taken).count("\n") // 2 + 2
    beginning = program(*own).count("\n")
    assert (
        any(one.mine.last <= ends + 3 and one.theirs.first >= beginning for one in found.passages)
        or taken == own
    )


@pytest.mark.parametrize(
    "pack", [one for one in all_packs() if one.kind == "automation"], ids=lambda one: one.name
)
@pytest.mark.by_day(but=["automation/cluster-priorities", "automation/mig-sharing"])
def test_programs_written_apart_share_no_finding(pack: Pack) -> None:
    """Competent, naive and the rest solve one exercise over one template and one library."""
    names = ("naive", "competent", "expert", "thrasher", "budget_breaker", "do_nothing", "cheater")
    for first, second in combinations(names, 2):
        found = shared(pack.golden(LEVEL, first), pack.golden(LEVEL, second), pack.name)
        assert not found.is_found, (pack.name, first, second, found.passages)


def test_what_everybody_was_given_is_nobodys() -> None:
    pack = load_pack("automation/gpu-idle-alerts")
    answer = plain_answer(pack.template(LEVEL), materials(pack.name))
    assert not fingerprints(answer)
    assert not compare(answer, answer).passages


def test_quoted_logs_and_documents_count_for_nothing() -> None:
    lines = [
        f"node{at:03} kernel: NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus"
        for at in range(9000)
    ]
    log = "\n".join(lines)
    known = Given.of([("logs/kernel.log", log), ("brief.md", TOLD)])
    quote = f"It says:\n{lines[4711]}\nand the brief has it: {TOLD}"
    answer = plain_answer({"diagnosis": quote}, known)
    assert not compare(answer, answer).passages


def test_prose_that_was_copied_is_found_and_what_was_retold_is_not() -> None:
    mine = plain_answer({"cause": "As I see it.\n" + TOLD})
    copied = compare(mine, plain_answer({"other": TOLD.upper() + "\nThat is all."}))
    assert copied.is_found
    (passage,) = copied.passages
    assert (passage.mine.key, passage.mine.first, passage.mine.last) == ("cause", 3, 6)
    assert not compare(mine, plain_answer({"other": RETOLD})).passages


def test_figures_differ_between_variants_and_do_not_hide_a_copy() -> None:
    first = " ".join(f"Team {at} pays {at * 3} dollars for idle cards at night." for at in range(9))
    second = first.replace("3", "417").replace("8", "95")
    found = compare(plain_answer({"a": first}), plain_answer({"b": second}))
    assert found.share(PROSE) == 1


def test_fields_of_a_table_are_compared_each_by_itself() -> None:
    """Short fields that stand in one order in every answer are nobody's passage."""
    short = (
        '{"rows": ['
        + ",".join('{"what": "buy nodes", "where": "hall one"}' for _ in range(40))
        + "]}"
    )
    table = plain_answer({"answer.json": short})
    assert not compare(table, table).passages
    long = plain_answer({"answer.json": '{"why": "' + TOLD.replace("\n", " ") + '"}'})
    assert compare(long, plain_answer({"why": TOLD})).is_found


def test_a_program_that_is_broken_is_read_as_far_as_it_goes() -> None:
    source = program("automation/queue-autoscaler", "competent")
    found = shared(source, source[: len(source) // 2] + '\n"""never closed(')
    assert found.is_found


@given(st.lists(st.integers(0, 50), min_size=1, max_size=200), st.integers(1, 15))
@settings(deadline=None)
def test_each_window_keeps_one(numbers: list[int], window: int) -> None:
    kept = winnowed(numbers, window)
    for start in range(max(1, len(numbers) - window + 1)):
        assert kept & set(range(start, start + window))


@given(st.lists(st.sampled_from("abcdefgh"), min_size=60, max_size=90), st.data())
@settings(deadline=None)
def test_what_is_long_enough_shares_a_fingerprint(signs: list[str], data: st.DataObject) -> None:
    """The guarantee of the paper: run + window - 1 symbols in a row, whatever stands around them."""
    run, window = 6, 5
    start = data.draw(st.integers(0, len(signs) - (run + window - 1)))
    stretch = signs[start : start + run + window - 1]
    other = ["x", "y", *stretch, "z"]
    first, second = runs(signs, run), runs(other, run)
    mine = {first[at] for at in winnowed(first, window)}
    theirs = {second[at] for at in winnowed(second, window)}
    assert mine & theirs


def test_a_long_answer_has_few_fingerprints() -> None:
    """Two in a window's width plus one, as the paper has it: what the index holds of an answer."""
    source = program("automation/spot-checkpointing", "expert")
    parts = plain_answer({"a.py": source})
    signs, window = len(parts[0].signs), GRAINS[CODE].window
    assert len(fingerprints(parts)) < 1.3 * 2 * signs / (window + 1)
