"""`docs/how-to/your-own-model.md` as it stands: every command, against a real llama.cpp server and SmolLM2's own file."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from scenarist.cli.main import run
from tests.candidates.llama_server import start_llama_server
from tests.candidates.tiny_model import write_tiny_model

pytest.importorskip("xllamacpp")
pytest.importorskip("torch")
pytestmark = [pytest.mark.neural, pytest.mark.slow]

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "your-own-model.md"
FENCE = re.compile(r"```console\n(.*?)```", re.S)
CODE = re.compile(r"# exit code (\d)")


def test_every_command_of_the_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = Path(os.environ.get("SMOLLM2_GGUF", ""))
    if not given.is_file():
        pytest.skip("SmolLM2 is not here (scenarist get smollm2)")
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "smollm2-135m.gguf").symlink_to(given)
    (tmp_path / "shuffled.txt").write_text("Then a leaf came up.\nMia planted a seed.\nShe watered it.\n")
    write_tiny_model(tmp_path / "my-model")
    server = start_llama_server(given)
    lines = [line for block in FENCE.findall(PAGE.read_text("utf-8")) for line in block.splitlines()]
    shown: dict[str, str] = {}
    for line in lines:
        assert line.startswith("$ scenarist "), line
        code = int(match[1]) if (match := CODE.search(line)) else 0
        command = line.removeprefix("$ scenarist ").partition("  # ")[0]
        command = command.replace("http://localhost:8080/v1#smollm2", f"{server.listening_address}/v1#")
        assert run(shlex.split(command)) == code, line + "\n" + capsys.readouterr().err
        shown[line] = capsys.readouterr().out
    first = shown[lines[0]]
    assert "ending" in first and "constant" in first and "@server" in first
    assert (tmp_path / "site" / "index.html").is_file() and (tmp_path / "toy.html").is_file()
    assert list((tmp_path / "home" / "requests").glob("*.jsonl"))
    assert list((tmp_path / "tasks").glob("*.yaml")) and list((tmp_path / "inspect-tasks").glob("*.py"))
