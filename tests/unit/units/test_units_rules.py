from __future__ import annotations

import datetime as dt

import pytest

from atomic_agents.units import CODES, Limits, too_large
from atomic_agents.vault.kinds import Layout
from unit.units.samples import PAGE_PATH as PAGE
from unit.units.samples import FakeNeighbours, codes, note, only, page, unit, verdict

MEMORY = "alpha/memory/"


def test_bytes_that_are_no_utf8_are_named_with_their_offset_and_the_rest_is_judged() -> None:
    judged = verdict(note(body="\n", confidence="High") + b"caf\xe9\n")
    assert codes(judged) == ["field-enum", "not-utf8"]
    assert only(judged, "not-utf8").found.startswith("byte E9 at offset ")
    assert only(judged, "not-utf8").line == 12


def test_the_offset_of_a_bad_byte_counts_the_bom() -> None:
    assert only(verdict(b"\xef\xbb\xbf---\n\xe9"), "not-utf8").found == "byte E9 at offset 7"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_text_is_told_as_such(encoding: str) -> None:
    judged = verdict(note().decode().encode(encoding))
    told = " ".join(f"{problem.found} {problem.fix}" for problem in judged.problems)
    assert "UTF-16" in told
    assert "frontmatter-missing" not in codes(judged)


def test_a_file_of_zeros_is_a_nul_byte_problem_alone() -> None:
    problem = only(verdict(b"\0" * 100), "nul-byte")
    assert problem.found == "100 NUL bytes, the first at offset 0"
    assert codes(verdict(b"\0" * 100)) == ["nul-byte"]


def test_one_nul_byte_in_the_body_is_named_with_its_line() -> None:
    problem = only(verdict(note(body="\nx\0y\n")), "nul-byte")
    assert (problem.line, problem.found[:10]) == (12, "a NUL byte")


def test_a_file_above_the_limit_is_not_read() -> None:
    limits = Limits(max_note_bytes=100)
    assert codes(verdict(note(confidence="High"), limits=limits)) == ["too-large"]
    assert verdict(note()[:100], limits=limits).sha256
    assert "too-large" not in codes(verdict(b"x" * 100, limits=limits))


def test_a_file_that_was_never_read_gets_the_same_verdict() -> None:
    judged = too_large(Layout().place("alpha/memory/x.md"), 5_000_000, "ab", Limits())
    assert (codes(judged), judged.sha256, judged.is_valid) == (["too-large"], "ab", False)
    assert only(judged, "too-large").found == "5000000 bytes"


CONFLICT = "<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> theirs\n"


def test_conflict_markers_in_the_body_are_an_error_with_the_line_of_the_first() -> None:
    assert only(verdict(note(body=f"\n{CONFLICT}")), "conflict-markers").line == 12


def test_conflict_markers_in_the_frontmatter_are_the_only_problem_told() -> None:
    data = note().replace(
        b"confidence: high\n", CONFLICT.replace("one", "a: 1").replace("two", "a: 2").encode()
    )
    assert codes(verdict(data)) == ["conflict-markers"]


@pytest.mark.parametrize(
    "body",
    [
        "<<<<<<< HEAD\none\n=======\ntwo\n",
        ">>>>>>> x\n=======\n<<<<<<< y\n",
        "Title\n=======\n\ntext\n",
        f"```text\n{CONFLICT}```\n",
        f"~~~~\n{CONFLICT}~~~~\n",
        f"~~~\n```\n{CONFLICT}~~~\n",
        f"```\nnever closed\n{CONFLICT}",
        "\n".join(f"  {line}" for line in CONFLICT.splitlines()),
        "`<<<<<<< HEAD ... =======\n  ... >>>>>>>` in the row\n",
        "<<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> theirs\n",
        "<<<<<<<HEAD\none\n=======\ntwo\n>>>>>>>theirs\n",
    ],
)
def test_what_only_resembles_a_conflict_is_none(body: str) -> None:
    assert verdict(note(body=f"\n{body}")).is_valid


def test_a_conflict_behind_a_code_block_is_found() -> None:
    assert "conflict-markers" in codes(verdict(note(body=f"\n```\ncode\n```\n{CONFLICT}")))
    assert "conflict-markers" in codes(verdict(note(body=f"\n```\ncode\n``\n````\n{CONFLICT}")))


def test_a_conflict_in_diff3_style_and_crlf_is_found() -> None:
    body = "<<<<<<< HEAD\r\none\r\n||||||| base\r\nzero\r\n=======\r\ntwo\r\n>>>>>>> theirs\r\n"
    assert "conflict-markers" in codes(verdict(note(body=body)))


def test_a_bom_is_a_warning_and_no_more() -> None:
    judged = verdict(b"\xef\xbb\xbf" + note())
    assert (codes(judged), judged.is_valid) == (["bom"], True)


@pytest.mark.parametrize(
    "body",
    [
        "---\nname: again\n---\n\ntext\n",
        "\n\n---\r\nname: again\r\n---\r\n",
        "\ufeff---\n# comment\n'name': again\n---\n",
    ],
)
def test_a_second_frontmatter_is_a_warning(body: str) -> None:
    assert codes(verdict(note(body=body))) == ["double-frontmatter"]


@pytest.mark.parametrize(
    "body",
    [
        "---\n\nStatus: done\n\n---\n",
        "\ntext\n\n---\nname: x\n---\n",
        "---\nname: x\n",
        "---\nhttp://x\n---\n",
        "---\n- a: b\n---\n",
    ],
)
def test_rules_in_the_body_are_no_second_frontmatter(body: str) -> None:
    assert verdict(note(body=body)).problems == ()


@pytest.mark.parametrize(("length", "code"), [(80, []), (81, ["name-long"])])
def test_a_name_of_more_than_80_characters_is_long(length: int, code: list[str]) -> None:
    assert codes(verdict(note(name="é" * length))) == code


@pytest.mark.parametrize(("length", "code"), [(150, []), (151, ["description-long"])])
def test_a_description_of_more_than_150_characters_is_long(length: int, code: list[str]) -> None:
    assert codes(verdict(note(description="w" * length))) == code


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("one\n  two", []),
        (">\n  one\n  two", []),
        ("|\n  one\n", []),
        ("|\n  one\n  two", ["description-multiline"]),
        ('"one\\ntwo"', ["description-multiline"]),
        ('"one\\u2028two"', ["description-multiline"]),
        ('"one\\n"', []),
    ],
)
def test_a_description_is_multiline_if_lines_are_left_after_stripping(
    written: str, expected: list[str]
) -> None:
    assert codes(verdict(note(description=written))) == expected


def test_a_name_over_several_lines_is_a_warning() -> None:
    assert codes(verdict(note(name="|\n  one\n  two"))) == ["name-multiline"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"last_seen": "2026-11-19"}, ["dates-order"]),
        ({"last_seen": "2026-11-20"}, []),
        ({"expires_at": "2026-11-19"}, ["archive-candidate", "dates-order"]),
        ({"captured": '"2026-11-25"'}, ["dates-order"]),
        ({"captured": "2026-02-30"}, ["date-invalid"]),
    ],
)
def test_dates_that_run_backwards_are_a_warning(changes: dict[str, str], expected: list[str]) -> None:
    assert codes(verdict(note(**changes))) == expected


@pytest.mark.parametrize(
    ("expires", "expected"), [("2026-11-30", ["archive-candidate"]), ("2026-12-01", []), ("null", [])]
)
def test_a_unit_whose_expiry_has_passed_is_an_archive_candidate(expires: str, expected: list[str]) -> None:
    assert codes(verdict(note(expires_at=expires))) == expected


@pytest.mark.parametrize(
    ("days", "changes", "expected"),
    [
        (90, {}, []),
        (91, {}, ["stale"]),
        (91, {"pinned": "true"}, []),
        (91, {"pinned": "false"}, ["stale"]),
        (-3, {}, []),
    ],
)
def test_a_unit_is_stale_after_90_days_unless_pinned(
    days: int, changes: dict[str, str], expected: list[str]
) -> None:
    today = dt.date(2026, 11, 20) + dt.timedelta(days=days)
    assert codes(verdict(note(**changes), today=today)) == expected


def test_the_days_until_stale_are_configurable() -> None:
    assert codes(verdict(note(), limits=Limits(stale_days=10))) == ["stale"]


def test_a_disabled_warning_is_not_given_and_a_disabled_error_is() -> None:
    limits = Limits(stale_days=1, disabled=frozenset({"stale", "field-enum"}))
    assert codes(verdict(note(confidence="High"), limits=limits)) == ["field-enum"]


@pytest.mark.parametrize(
    "source",
    [
        "observation",
        "conversation_2026-05-06",
        "journal/2026-05/2026-05-06.md",
        "journal/2026-05-06",
        "raw/tax planning 2026.pdf",
        "tax_planning_2026.pdf",
        "docs/plan.md",
        "feedback_other_rule.md",
    ],
)
def test_a_source_in_one_of_the_forms_is_fine(source: str) -> None:
    assert verdict(note(sources=f'["{source}"]')).problems == ()


@pytest.mark.parametrize(
    "source",
    [
        "https://example.org/rows.html",
        "[[journal/2026-11-20]]",
        "conversation",
        "conversation_",
        "observation of Sam",
        "Sam said so",
        "/etc/hosts.md",
        "mailto:x@example.org",
        "journal/",
    ],
)
def test_a_source_in_no_form_is_a_warning(source: str) -> None:
    problem = only(verdict(note(sources=f'["{source}"]')), "source-form")
    assert (problem.field, problem.found, problem.line) == ("sources", f'"{source}"', 8)


def test_several_odd_sources_are_one_warning_that_counts_them() -> None:
    assert (
        only(verdict(note(sources="[chat, talk, observation]")), "source-form").found == '"chat" and 1 more'
    )


@pytest.mark.parametrize(
    ("value", "lost"),
    [
        ("use #tag here", "`use`, without `#tag here`"),
        ("use # here", "`use`, without `# here`"),
        ("use  #here", "`use`, without `#here`"),
        ("about C #", "`about C`, without `#`"),
        ("&co stuff", "`stuff`, without `&co`"),
        ("! important", "`important`, without `!`"),
        ("one\n  two #three", "`one two`, without `#three`"),
    ],
)
def test_text_that_yaml_drops_from_a_plain_value_is_a_warning(value: str, lost: str) -> None:
    problem = only(verdict(note(description=value)), "yaml-comment-cut")
    assert (problem.field, problem.line, problem.found) == ("description", 4, lost)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("description", "use  # the comment"),
        ("description", "use\t # the comment"),
        ("description", '"use" #tag'),
        ("description", "'use' # tag"),
        ("description", "use#tag"),
        ("description", ">-\n  folded #28 and\n  more"),
        ("schema_version", "1 # v"),
        ("type", "feedback # sure"),
        ("confidence", "high #sure"),
        ("captured", "2026-11-20 #when"),
        ("pinned", "no #yet"),
        ("expires_at", "~ #never"),
        ("score", "5 #of ten"),
        ("extra", "#only a comment"),
        ("extra", "!!str text"),
        ("extra", "&a text\nother: *a"),
    ],
)
def test_what_is_evidently_a_comment_or_no_text_is_not_cut(field: str, value: str) -> None:
    assert verdict(note(**{field: value})).problems == ()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("tags", "\n- a #b"),
        ("tags", "[a, b #c\n  ]"),
        ("metadata", "\n  note: a #b"),
        ("summary", "a #b"),
        ("superseded_by", "persona/USER.md #part"),
    ],
)
def test_cuts_are_seen_in_lists_and_unknown_fields_too(field: str, value: str) -> None:
    assert only(verdict(note(**{field: value})), "yaml-comment-cut").field == field


def test_the_body_that_lost_over_80_percent_in_one_write_is_a_warning() -> None:
    data = note(body="x" * 199)
    assert codes(verdict(data, former_body_bytes=1000)) == ["shrunk"]
    assert codes(verdict(note(body="x" * 200), former_body_bytes=1000)) == []
    assert codes(verdict(data, former_body_bytes=None)) == []
    assert codes(verdict(note(body=""), former_body_bytes=0)) == []


def test_a_page_without_provenance_is_a_warning() -> None:
    judged = verdict(page(provenance=None), PAGE)
    assert (codes(judged), judged.is_valid) == (["provenance-missing"], True)


def test_a_note_needs_no_provenance() -> None:
    assert "provenance-missing" not in codes(verdict(note()))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("feedback_answer_first.md", []),
        ("feedback_a_b_c_d_e.md", []),
        ("feedback_answer.md", ["topic-words"]),
        ("feedback_a_b_c_d_e_f.md", ["topic-words"]),
        ("feedback_記録の_整理.md", []),
        ("feedback_café_rule.md", []),
        ("feedback_cafe\u0301_rule.md", []),
        ("feedback_नमस्ते_दुनिया.md", []),
        ("feedback_rule_٣.md", []),
        ("feedback_2026_answer_first.md", ["dated-evergreen"]),
        ("feedback_2026-q1_answer_first.md", ["dated-evergreen"]),
        ("feedback_3000_answer.md", []),
        ("feedback_2026.md", ["topic-words"]),
        ("project_answer_first.md", ["filename-type"]),
        ("Feedback_answer_first.md", ["filename-pattern"]),
        ("feedback_Answer_first.md", ["filename-pattern"]),
        ("feedback_Ünder_way.md", ["filename-pattern"]),
        ("feedback-answer-first.md", ["filename-pattern"]),
        ("feedback_stamp-then-post.md", ["filename-pattern"]),
        ("feedback__answer.md", ["filename-pattern"]),
        ("feedback_answer_.md", ["filename-pattern"]),
        ("feedback_.md", ["filename-pattern"]),
        ("feedback.md", ["filename-pattern"]),
        ("answer_first.md", ["filename-pattern"]),
        ("core_answer_first.md", ["filename-pattern"]),
        ("feedback_answer first.md", ["filename-pattern"]),
        ("feedback_answer_first.MD", ["filename-pattern"]),
        ("feedback_answer.v2.md", ["filename-pattern"]),
        ("feedback_a\u200cb_rule.md", ["filename-pattern"]),
        ("feedback_\u0301x_rule.md", ["filename-pattern"]),
        ("feedback_caf\udce9_rule.md", ["filename-pattern"]),
        ("feedback_🚀_rule.md", ["filename-pattern"]),
        ("feedback_2026-q5_answer_first.md", ["filename-pattern"]),
    ],
)
def test_the_name_of_a_note_follows_its_pattern(name: str, expected: list[str]) -> None:
    judged = verdict(note(), MEMORY + name)
    assert codes(judged) == expected
    assert all(problem.found.isprintable() for problem in judged.problems)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("debt_methods.md", []),
        ("tax_strategy_2026.md", []),
        ("tax_2026.md", ["topic-words"]),
        ("2026.md", ["topic-words"]),
        ("feedback_answer_first.md", []),
        ("Debt_methods.md", ["filename-pattern"]),
        ("debt-methods.md", ["filename-pattern"]),
    ],
)
def test_the_name_of_a_page_follows_its_pattern(name: str, expected: list[str]) -> None:
    assert codes(verdict(page(), f"alpha/wiki/{name}")) == expected


def test_the_folder_of_a_note_is_free() -> None:
    assert verdict(note(), "alpha/memory/Archive 2026/deep/feedback_answer_first.md").problems == ()


def test_a_type_outside_the_five_is_no_filename_problem() -> None:
    assert codes(verdict(note(type="core"))) == ["field-enum"]


@pytest.mark.parametrize(
    ("name", "changes", "expected"),
    [
        ("decision_income_target.md", {"expires_at": "2027-01-01"}, ["undated-bounded"]),
        ("decision_2027_income_target.md", {"expires_at": "2027-01-01"}, []),
        ("decision_2027-q1_income_target.md", {"expires_at": "2027-01-01"}, []),
        ("decision_income_target.md", {"expires_at": "null"}, []),
        ("decision_income_target.md", {}, []),
    ],
)
def test_a_decision_that_expires_says_when_in_its_name(
    name: str, changes: dict[str, str], expected: list[str]
) -> None:
    assert codes(verdict(note(type="decision", **changes), MEMORY + name)) == expected


def test_a_feedback_note_that_expires_needs_no_date_in_its_name() -> None:
    assert verdict(note(expires_at="2027-01-01")).problems == ()


@pytest.mark.parametrize(
    "name",
    [
        "feedback_answer_first.sync-conflict-20260512-101500-ABCDEFG.md",
        "feedback_answer_first (Sam's conflicted copy 2026-05-12).md",
        "feedback_answer_first (conflicted copy 2026-05-12 101500).md",
        "feedback_answer_first (Case Conflict).md",
        "feedback_answer_first_conflict-20260512-101500.md",
        "feedback_answer_first 2.md",
        "feedback_answer_first (1).md",
        "feedback_answer_first(2).md",
        "feedback_answer_first-DESKTOP-AB12CDE.md",
        "feedback_answer_first-LAPTOP-7H2K9.md",
    ],
)
def test_a_conflict_copy_names_its_original_and_is_spared_the_name_rules(name: str) -> None:
    judged = verdict(note(), MEMORY + name)
    assert codes(judged) == ["sync-conflict"]
    assert only(judged, "sync-conflict").expected == "only `feedback_answer_first.md`"


@pytest.mark.parametrize(
    "name",
    [
        "Notes 2.md",
        "My list (1).md",
        "feedback_answer_first 1.md",
        "feedback_stamp-then-post.md",
        "feedback_answer_first-Sams-MacBook.md",
    ],
)
def test_a_name_that_only_resembles_a_copy_is_a_name_problem(name: str) -> None:
    assert codes(verdict(note(), MEMORY + name)) == ["filename-pattern"]


@pytest.mark.parametrize(
    ("name", "original"),
    [("Notes 2.md", "Notes.md"), ("feedback_answer_first-Sams-MacBook.md", "feedback_answer_first.md")],
)
def test_beside_its_original_it_is_a_copy(name: str, original: str) -> None:
    neighbours = FakeNeighbours(MEMORY + original)
    assert codes(verdict(note(), MEMORY + name, neighbours=neighbours)) == ["sync-conflict"]


def test_every_code_says_what_it_means_and_what_to_do_in_one_line() -> None:
    for code in CODES.values():
        for text in (code.meaning, code.example, code.fix):
            assert text
            assert "\n" not in text
        assert code.meaning.endswith(".")
        assert code.fix.endswith(".")


def test_a_valid_unit_carries_its_body_length() -> None:
    judged = verdict(note(body="\nBody.\n"))
    assert judged.unit is not None
    assert judged.unit.body_bytes == 7
    assert judged.unit == unit(
        name="Answer before background",
        description="Lead with the answer, then the reasons",
        sources=("conversation_2026-11-20",),
        confidence="high",
        body_bytes=7,
    )
