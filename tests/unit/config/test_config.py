"""The configuration (contract section 9)."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from atomic_agents import config
from atomic_agents.exceptions import ConfigError

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch, tmp_path):
    for name in ("ATOMICD_CONFIG", "ATOMIC_AGENTS_ROOT", "ATOMICD_STATE_DIR", "ATOMICD_LOG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "empty"))


def load_text(tmp_path, text):
    file = tmp_path / "config.toml"
    file.write_text(text)
    return config.load(file)


def test_without_a_file_every_default_holds():
    assert config.load() == config.Config()


def test_a_key_of_the_file_replaces_its_default_and_no_other(tmp_path):
    loaded = load_text(tmp_path, "[settle]\nquiet_ms = 20\n")
    assert loaded.settle.quiet_ms == 20
    assert loaded.settle.max_wait_ms == config.Config().settle.max_wait_ms


def test_an_integer_is_taken_where_a_number_is_expected(tmp_path):
    assert load_text(tmp_path, "[sweep]\ninterval_seconds = 7\n").sweep.interval_seconds == 7.0


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[settle]\nquite_ms = 3\n", "settle.quite_ms: unknown key"),
        ("[setle]\nquiet_ms = 3\n", "[setle]: unknown section"),
        ("settle = 3\n", "settle: found 3, expected a table"),
        ('[settle]\nquiet_ms = "3"\n', "settle.quiet_ms: found '3', expected an integer"),
        ("[settle]\nquiet_ms = true\n", "settle.quiet_ms: found True, expected an integer"),
        ("[settle]\nquiet_ms = 1.5\n", "settle.quiet_ms: found 1.5, expected an integer"),
        ("[settle]\nquiet_ms = -1\n", "settle.quiet_ms: found -1, expected at least 0"),
        ("[sweep]\ninterval_seconds = nan\n", "sweep.interval_seconds: found nan, expected a number"),
        ("[sweep]\ninterval_seconds = inf\n", "sweep.interval_seconds: found inf, expected a number"),
        ('[watch]\nmode = "fast"\n', "watch.mode: found 'fast', expected one of auto, native, poll"),
        ('[vault]\nignore = "x"\n', "vault.ignore: found 'x', expected a list of strings"),
        ("[vault]\nignore = [1]\n", "vault.ignore: found [1], expected a list of strings"),
        (
            '[migration]\nauto_recover = "yes"\n',
            "migration.auto_recover: found 'yes', expected true or false",
        ),
    ],
)
def test_a_wrong_key_is_named_with_what_was_found_and_expected(tmp_path, text, named):
    with pytest.raises(ConfigError) as caught:
        load_text(tmp_path, text)
    assert named in str(caught.value)
    assert caught.value.exit_code == 78


def test_all_faults_of_a_file_are_told_at_once(tmp_path):
    with pytest.raises(ConfigError) as caught:
        load_text(tmp_path, '[settle]\nquiet_ms = "a"\nwhat = 1\n[nope]\n[log]\nlevel = "loud"\n')
    assert str(caught.value).count("\n") == 4


def test_a_long_wrong_value_is_cut_in_the_message(tmp_path):
    with pytest.raises(ConfigError) as caught:
        load_text(tmp_path, f'[log]\nlevel = "{"x" * 500}"\n')
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("text", ["root = [", "[a\n", "\x00"])
def test_a_file_that_is_no_toml_is_named(tmp_path, text):
    with pytest.raises(ConfigError, match="no TOML"):
        load_text(tmp_path, text)


def test_a_file_that_is_not_utf8_is_named(tmp_path):
    file = tmp_path / "config.toml"
    file.write_bytes(b"[log]\nlevel = '\xe9'\n")
    with pytest.raises(ConfigError, match="no TOML"):
        config.load(file)


def test_a_named_file_that_is_missing_is_an_error(tmp_path):
    with pytest.raises(ConfigError, match="not there"):
        config.load(tmp_path / "gone.toml")


def test_a_folder_as_file_is_an_error(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        config.load(tmp_path)


def test_the_environment_names_the_file_and_the_vault(tmp_path, monkeypatch):
    file = tmp_path / "mine.toml"
    file.write_text('[vault]\nroot = "/from/file"\n')
    monkeypatch.setenv("ATOMICD_CONFIG", str(file))
    assert config.load().vault.root == "/from/file"
    monkeypatch.setenv("ATOMIC_AGENTS_ROOT", "/from/environment")
    assert config.load().vault.root == "/from/environment"
    assert config.load(vault=Path("/from/flag")).root == Path("/from/flag")


def test_a_home_sign_in_the_root_is_resolved(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert config.load().root == tmp_path / "docs/agents"


def test_the_state_and_log_folders_follow_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("ATOMICD_STATE_DIR", str(tmp_path / "s"))
    monkeypatch.setenv("ATOMICD_LOG_DIR", str(tmp_path / "l"))
    assert (config.state_root(), config.log_root()) == (tmp_path / "s", tmp_path / "l")


def test_without_environment_they_lie_in_the_platforms_folders(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert config.state_root().name == "atomicd"
    assert "atomicd" in str(config.log_root())


def test_the_example_shows_every_key_with_its_default_and_a_line_of_meaning():
    text = (ROOT / "config.example.toml").read_text()
    shown = tomllib.loads(text)
    documented = config.keys()
    for key in documented:
        value = shown[key.section][key.name]
        assert (tuple(value) if isinstance(value, list) else value) == key.default, key
        line = next(row for row in text.splitlines() if row.startswith(f"{key.name} ="))
        assert "#" in line, key
    assert sum(map(len, shown.values())) == len(documented)
    assert config.parse(shown, Path("config.example.toml")) == config.Config()
