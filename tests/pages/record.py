"""The picture of the README: the session that it shows, taken from a real terminal; `make picture` runs it."""

from __future__ import annotations

import html
import re
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from pages.checkout import check_out
from pages.parsing import Command
from pages.shell import ROOT, Shell

PICTURE = ROOT / "docs" / "terminal.svg"
TITLE = "make run"
_BAD = "sed -i.bak 's/^confidence: medium/confidence: sure/' var/vault/fern/memory/feedback_one_task_first.md"
_SIZE, _LINE, _CELL, _MARGIN = 14, 19, 8.43, 16
_CLASSES = {1: "red", 2: "green", 3: "yellow"}
_FRAME = """<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" xmlns="http://www.w3.org/2000/svg">
<title>atomicd blocks a broken write and puts the last valid version back</title>
<style>
text {{ font: {size}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d0d0d0; white-space: pre }}
.green {{ fill: #87c05f }} .yellow {{ fill: #e5c15a }} .red {{ fill: #f07070 }} .bold {{ font-weight: bold }}
</style>
<rect width="100%" height="100%" rx="8" fill="#1c1c1c"/>
{rows}
</svg>
"""


def main() -> int:
    """Run the session and write the picture."""
    shell = Shell(Path(tempfile.mkdtemp(prefix="")))
    try:
        text = _session(shell)
    finally:
        shell.end()
    PICTURE.write_text(_draw(text), "utf-8")
    return 0


def words_of(picture: Path) -> list[str]:
    """Return the lines of text of a picture."""
    rows = re.findall(r"<text [^>]*>(.*?)</text>", picture.read_text("utf-8"))
    return [html.unescape(re.sub(r"<[^>]*>", "", row)) for row in rows]


def _session(shell: Shell) -> Text:
    check_out(shell.home / "atomicd")
    shell.env |= {"TERM": "xterm-256color"}
    shell.env.pop("NO_COLOR")
    shell.folder = shell.home / "atomicd"
    shell.start(Command("make run", ("…", "… ready …")))
    shell.run(Command(_BAD))
    shell.expect(("…", "… put back …"))
    assert shell.background is not None
    printed = shell.background.text().replace(str(shell.home), "~")
    return Text.from_ansi(f"\x1b[1m$ {TITLE}\x1b[0m\n{printed}")


def _draw(text: Text) -> str:
    """Return the text as an SVG with its colours, one element a line."""
    lines = text.split()
    rows = [f'<text x="{_MARGIN}" y="{_MARGIN + _LINE * (row + 1) - 5}" xml:space="preserve">{_spans(line)}</text>'
            for row, line in enumerate(lines)]  # fmt: skip
    width = round(2 * _MARGIN + _CELL * max(line.cell_len for line in lines))
    height = 2 * _MARGIN + _LINE * len(lines)
    return _FRAME.format(width=width, height=height, size=_SIZE, rows="\n".join(rows))


def _spans(line: Text) -> str:
    pieces = []
    for segment in line.render(Console(), end=""):
        style = segment.style
        number = style.color.number if style and style.color else None
        name = _CLASSES.get(number, "") if number is not None else "bold" if style and style.bold else ""
        text = html.escape(segment.text)
        pieces.append(f'<tspan class="{name}">{text}</tspan>' if name else text)
    return "".join(pieces)


if __name__ == "__main__":
    sys.exit(main())
