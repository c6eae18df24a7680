"""Words of a unit file come back as they were (LC04)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.lifecycle.quoting import literal, quote, quote_all, split

_text = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1)


@given(st.lists(_text))
def test_words_come_back_as_they_were(words: list[str]) -> None:
    assert split(quote_all(words)) == words


def test_plain_words_are_not_quoted() -> None:
    assert quote("/usr/bin/python3.11") == "/usr/bin/python3.11"


def test_blanks_quotes_backslashes_and_percent_signs_are_made_safe() -> None:
    assert quote('/my "old" 100% \\ vault') == '"/my \\"old\\" 100%% \\\\ vault"'


def test_a_line_that_is_taken_whole_only_has_its_percent_signs_doubled() -> None:
    assert literal('100% "sure"') == '100%% "sure"'
