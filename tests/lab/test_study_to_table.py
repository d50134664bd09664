"""docs/tutorial/from-study-to-table.md as written: every command runs, and its tables say what the page promises."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

from scenarist.cli.main import run

ROOT = Path(__file__).parents[2]


def test_from_study_to_table(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "tutorial" / "from-study-to-table.md").read_text("utf-8")
    shown: dict[str, str] = {}
    for block in re.findall(r"```console\n(.*?)```", text, re.S):
        for line in block.splitlines():
            program, *args = shlex.split(line.removeprefix("$ "))
            assert program == "scenarist"
            assert run(args) == 0, line
            shown[line] = capsys.readouterr().out
    table = json.loads(shown["$ scenarist bench gap-study --answers pilot --json"])
    rows = {row["model"]: row for row in table["rows"]}
    assert {"bennett-published", "people", "people-full", "people-caveman", "people-verb-subject"} <= set(rows)
    assert {"recovery/automatic", "agreement/automatic", "effect/full"} <= set(rows["people"]["scores"])
    assert rows["people"]["role"] == "human" and len(table["distributions"]) == 3 and table["resolution"]
    assert "Power" in shown["$ scenarist lab power --people 24 --effect 0.13 --simulations 60"]
    pilot = shown["$ scenarist lab power --pilot pilot --people 60 --effect 0.1 --simulations 60"]
    assert "60 people" in pilot and "Agreement with 2 answers" in pilot
    assert "Figure" in Path("agreement.html").read_text("utf-8") and Path("gaps.html").is_file()
    assert "people" in shown["$ scenarist bench probes --answers probes --only counts,people --quiet"]
    assert re.search(r"\d people finished the study", shown["$ scenarist lab paper fill-gap --db pilot.db"])
