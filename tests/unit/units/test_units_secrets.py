from __future__ import annotations

import pytest

from unit.units.samples import codes, note, only, verdict

A = "a1B2c3D4e5F6g7H8i9J0"

SECRETS = [
    "AKIAIOSFODNN7EXAMPLE",
    "ASIAIOSFODNN7EXAMPLE",
    f"ghp_{A}{A}"[:40],
    f"github_pat_{A * 4}"[:80],
    f"glpat-{A}",
    "xoxb-123456789012-abcdefghij",
    f"hooks.slack.com/services/T00000000/B00000000/{A}",
    f"sk-{A}{A}",
    f"sk-proj-{A}{A}",
    f"sk-ant-api03-{A}{A}",
    f"sk_live_{A}",
    f"AIza{A}{A}"[:39],
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----",
    f"eyJ{A}.eyJ{A}.{A}",
    "postgres://sam:h4rbour7lamp@db.example.org/x",
    'password = "h4rbour7lamp"',
    "api_key: 'h4rbour7lamp'",
    '"secret": "h4rbour7lamp"',
    "TOKEN=`h4rbour7lamp`",
]


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("before", ["", "Key: `", "密钥", "("])
def test_what_looks_like_a_secret_in_the_body_is_a_warning_that_never_shows_it(
    before: str, secret: str
) -> None:
    judged = verdict(note(body=f"\ntext\n{before}{secret}\n"))
    problem = only(judged, "possible-secret")
    assert problem.line == 13
    assert codes(judged) == ["possible-secret"]
    assert secret[-12:] not in repr(judged.problems)


@pytest.mark.parametrize(
    "text",
    [
        "AKIA",
        "AKIAIOSFODNN7EXAMPLEX",
        "MAKIAIOSFODNN7EXAMPLE",
        "ghp_short",
        "sk-learn-is-a-library-with-a-very-long-name-indeed",
        "risk-averse-a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0",
        "-----BEGIN PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----",
        "eyJhbGciOi only begins so",
        "https://example.org:8080/path@2",
        "https://user@example.org/",
        "https://user:${PASSWORD}@example.org/",
        'password = "changeme1"',
        'password = "<your password 1>"',
        'password: "xxxxxxxx1"',
        'token: "$TOKEN_1234"',
        'password = "lampharbour"',
        'password = "short1"',
        "The password is in the safe, not here.",
        "Keys are rotated every 90 days: see the key list",
        'keyboard: "a1b2c3d4e5"',
        "7c1d2a40-5e3b-4f6a-9b8c-0d1e2f3a4b5b",
        "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ],
)
def test_what_only_resembles_a_secret_is_none(text: str) -> None:
    assert "possible-secret" not in codes(verdict(note(body=f"\n{text}\n")))


@pytest.mark.parametrize(
    "field", ["name", "type", "confidence", "captured", "supersedes", "sources", "tags", "pinned"]
)
def test_a_secret_in_a_field_is_shown_by_no_problem(field: str) -> None:
    secret = f"ghp_{A}{A}"[:40]
    for value in (secret, f"[{secret}]", f"{{x: {secret}}}", f"{secret} #more", f"@{secret}", f"a: {secret}"):
        judged = verdict(note(**{field: value}))
        assert "possible-secret" in codes(judged)
        assert secret[4:20] not in repr(judged.problems)


def test_a_secret_on_the_first_line_is_not_shown_by_the_missing_fence() -> None:
    judged = verdict(b"sk-" + (A + A).encode() + b"\n")
    assert A not in repr(judged.problems)
    assert "frontmatter-missing" in codes(judged)


def test_each_line_is_told_once_and_ten_lines_are_enough() -> None:
    two = verdict(note(body="\nAKIAIOSFODNN7EXAMPLE AKIAIOSFODNN7EXAMPLE\nASIAIOSFODNN7EXAMPLE\n"))
    assert [problem.line for problem in two.problems] == [12, 13]
    many = verdict(note(body="\n" + "AKIAIOSFODNN7EXAMPLE\n" * 30))
    assert codes(many) == ["possible-secret"] * 10
