"""What one line of INDEX.md is: entries in their three forms, and what only looks like one ([INDEX-2])."""

from __future__ import annotations

import pytest

from atomic_agents.index.entries import Form, rewritten
from atomic_agents.index.lines import Kind, read_line

LINK, WIKI, CODE = Form.LINK, Form.WIKI, Form.CODE


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("- [T](f.md) — h", (LINK, "T", "f.md", " — ", "h")),
        ("* [T](f.md) – h", (LINK, "T", "f.md", " – ", "h")),
        ("+ [T](f.md) -- h", (LINK, "T", "f.md", " -- ", "h")),
        ("3. [T](f.md) - h", (LINK, "T", "f.md", " - ", "h")),
        ("3) [T](f.md): h", (LINK, "T", "f.md", ": ", "h")),
        ("  - [T](f.md)—h", (LINK, "T", "f.md", "—", "h")),
        ("\t- [T](f.md) — h", (LINK, "T", "f.md", " — ", "h")),
        ("- [T](f.md)", (LINK, "T", "f.md", "", "")),
        ("- [T](f.md) — ", (LINK, "T", "f.md", "", "")),
        ("- [T](f.md) h", (LINK, "T", "f.md", " ", "h")),
        ("- [T](f.md), h", (LINK, "T", "f.md", "", ", h")),
        ("- [T](f.md) — a — b: c", (LINK, "T", "f.md", " — ", "a — b: c")),
        ("- [A — b](f.md) — h", (LINK, "A — b", "f.md", " — ", "h")),
        ("- [T](f.md) — h  ", (LINK, "T", "f.md", " — ", "h")),
        ("- [ ] [T](f.md) — h", (LINK, "T", "f.md", " — ", "h")),
        ("- [x] [T](f.md) — h", (LINK, "T", "f.md", " — ", "h")),
        ("- **[T](f.md)** — h", (LINK, "T", "f.md", " — ", "h")),
        ("- *[T](f.md)*: h", (LINK, "T", "f.md", ": ", "h")),
        (r"- [A \[b\] c](f.md) — h", (LINK, r"A \[b\] c", "f.md", " — ", "h")),
        ("- [A [b] c](f.md) — h", (LINK, "A [b] c", "f.md", " — ", "h")),
        ("- [`a[0]`](f.md) — h", (LINK, "`a[0]`", "f.md", " — ", "h")),
        ("- [T](<a b.md>) — h", (LINK, "T", "a b.md", " — ", "h")),
        ("- [T](a%20b.md) — h", (LINK, "T", "a%20b.md", " — ", "h")),
        ("- [T](a(1).md) — h", (LINK, "T", "a(1).md", " — ", "h")),
        ('- [T](f.md "note") — h', (LINK, "T", "f.md", " — ", "h")),
        ("- [T](./f.md#part) — h", (LINK, "T", "./f.md#part", " — ", "h")),
        ("- [T](sub/f.md) — h", (LINK, "T", "sub/f.md", " — ", "h")),
        ("- [](f.md) — h", (LINK, "", "f.md", " — ", "h")),
        ("- [[f|T]] — h", (WIKI, "T", "f", " — ", "h")),
        ("- [[f]] — h", (WIKI, "", "f", " — ", "h")),
        ("- [[f#part|T]]", (WIKI, "T", "f", "", "")),
        ("- [[sub/f.md|T]] - h", (WIKI, "T", "sub/f.md", " - ", "h")),
        ("- `T` — h", (CODE, "T", "", " — ", "h")),
        ("- ``T`` — h", (CODE, "T", "", " — ", "h")),
        ("- **`T`** — h", (CODE, "T", "", " — ", "h")),
    ],
)
def test_an_entry_is_read_in_every_form(line, parts):
    entry = read_line(line).entry
    assert entry is not None
    assert (entry.form, entry.title, entry.target, entry.separator, entry.hook) == parts


@pytest.mark.parametrize(
    "line",
    [
        "- plain words",
        "- see [T](f.md)",
        "- [T] (f.md)",
        r"- \[T](f.md)",
        "- [T]",
        "- [a [b](c.md) d](e.md)",
        "- ```sh",
        "-[T](f.md)",
        "[T](f.md) — no bullet",
        "| [T](f.md) | table |",
        "> - [T](f.md) — quoted",
        "#### [T](f.md)",
        "- * * *",
        "- [T](f.md" + "x" * 9000 + ") — longer than is read",
    ],
)
def test_what_only_looks_like_an_entry_is_none(line):
    assert read_line(line).entry is None


def test_parts_are_replaced_and_the_rest_stays():
    entry = read_line('  * [x] **[T](<a b.md> "note")** –  old hook  ').entry
    assert rewritten(entry, title="New", target="n.md", hook="new") == (
        '  * [x] **[New](<n.md> "note")** –  new  '
    )
    assert rewritten(entry) == entry.text


def test_a_hook_or_title_that_is_not_there_is_not_added():
    assert rewritten(read_line("- [[f]]").entry, title="T", hook="h") == "- [[f]]"


@pytest.mark.parametrize(
    ("line", "targets"),
    [
        ("see [a](x.md) and [b](y.md#z)", ["x.md", "y.md#z"]),
        ("[[x]] and ![[y|z]]", ["x", "y"]),
        ("| [a](x.md) | [[y\\|z]] |", ["x.md", "y"]),
        ("[note]: x.md", ["x.md"]),
        ("[note]: <x y.md> 'title'", ["x y.md"]),
        ('<a class="k" href="x.md">k</a>', ["x.md"]),
        ("### [a](x.md)", ["x.md"]),
        ("![a](x.png)", ["x.png"]),
        ("[![a](x.png)](y.md)", ["x.png", "y.md"]),
        ("[a [b](x.md) c](y.md)", ["x.md"]),
        ("`[a](x.md)` is code", []),
        ("``a ` [a](x.md)`` is code", []),
        ("a ` alone, [a](x.md)", ["x.md"]),
        ("<!-- [a](x.md) --> [b](y.md)", []),
        ("text <!-- [a](x.md) --> [b](y.md)", ["y.md"]),
        (r"\[a](x.md)", []),
        (r"[a\](x.md)", []),
        ("[a](x.md", []),
        ("[a](x y.md)", []),
        ("no links ](", []),
        ("x" * 9000 + " [a](x.md)", ["x.md"]),
        ("[" * 4000 + "](x.md)" * 500, ["x.md"]),
    ],
)
def test_links_are_found_wherever_they_act(line, targets):
    assert [target for target, _ in read_line(line).targets] == targets


def test_an_entrys_own_target_is_not_among_its_other_links():
    line = read_line("- [T](f.md) — see [rounds](walk.md)")
    assert line.entry.target == "f.md"
    assert line.targets == (("walk.md", False),)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", Kind.BLANK),
        (" \t ", Kind.BLANK),
        ("## H ##", Kind.HEADING),
        ("#hashtag", Kind.TEXT),
        ("    # code", Kind.TEXT),
        ("---", Kind.RULE),
        ("* * *", Kind.RULE),
        ("- x", Kind.ITEM),
        ("-", Kind.ITEM),
        ("1234567890. x", Kind.TEXT),
        ("words", Kind.TEXT),
        ("~~~", Kind.OPAQUE),
        ("``` not`a fence", Kind.TEXT),
        ("<!-- c -->", Kind.OPAQUE),
        ("<pre>", Kind.OPAQUE),
        ("<prefix>", Kind.TEXT),
    ],
)
def test_a_line_is_told_for_what_it_is(text, kind):
    assert read_line(text).kind is kind


@pytest.mark.parametrize("title", ["Critical Feedback", "a", "", "C#"])
@pytest.mark.parametrize("form", ["## {}", "## {} ##", "   #### {}   ", "# {}\t#"])
def test_a_headings_title_is_without_its_marks(title, form):
    assert read_line(form.format(title)).title == title
