"""Models at addresses as rows: hidden where a table hides the story, what could not be read is counted, gains are over what is had blind."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from scenarist.bench.candidates import estimate, with_candidates
from scenarist.bench.run_table import Ways
from scenarist.bench.spec import load
from scenarist.cli.main import run
from scenarist.networks.addresses.budget import Budget
from scenarist.pages.report import row_remarks
from scenarist.registry import make
from scenarist.verbs.run_table import run_table
from tests.candidates.small_server import SmallServer

TABLE = """
name = "mine"
title = "Endings of the toy corpus"
seeds = [1]

[[condition]]
name = "story"
corpus = "toy"
corpus_settings = { kind = "cloze" }
exam = "storycloze"
metrics = ["accuracy"]
blind = "alone"

[[condition]]
name = "alone"
corpus = "toy"
corpus_settings = { kind = "cloze" }
exam = "storycloze"
metrics = ["accuracy"]
candidates = "choices"

[[condition]]
name = "learned"
corpus = "toy"
corpus_settings = { kind = "cloze" }
exam = "storycloze"
metrics = ["accuracy"]
candidates = "no"

[[row]]
model = "constant"
label = "position"
audit = true
role = "baseline"
only = ["story"]
[[row]]
model = "choice-surface"
label = "longest"
audit = true
role = "baseline"
only = ["story"]
"""


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path / "home"))
    path = tmp_path / "mine.toml"
    path.write_text(TABLE)
    return str(path)


def test_a_model_sits_each_condition_as_the_table_says(table: str) -> None:
    spec, only = with_candidates(load(table), ["openai:http://localhost:8080/v1#org/tiny"], {"how": "sum"}, ["longest"])
    added = [row for row in spec.row if row.model.startswith("openai:")]
    assert [(row.label, row.only, row.settings) for row in added] == [
        ("tiny@server how=sum", ["story"], {"how": "sum"}),
        ("tiny@server how=sum", ["alone"], {"how": "sum", "see": "choices"}),
    ]
    assert list(only) == ["longest", "tiny@server how=sum"]


def test_without_the_story_nothing_of_it_is_sent_and_the_gain_is_over_the_best_blind_figure(table: str) -> None:
    with SmallServer() as server:
        sheet = run_table(table, models=[server.address], settings={"how": "sum"})
        sent = [str(request["body"]["prompt"]) for request in server.requests if request["body"].get("echo")]
    blind = [prompt for prompt in sent if prompt.startswith("This is a story.")]
    assert len(blind) == 2 * len(sheet.items["alone"])
    gains = [test for test in sheet.tests if test.gain]
    (gain,) = [test for test in gains if test.row.startswith("small@server") and test.column == "accuracy/story"]
    cells = {done.row.name: done.cells for done in sheet.rows if "accuracy/story" in done.cells}
    own = next(done.cells["accuracy/alone"] for done in sheet.rows if "accuracy/alone" in done.cells)
    floor = max(
        own.score.value,
        *(cells[name]["accuracy/story"].score.value for name in ("position", "longest")),
    )
    assert gain.comparison.difference == pytest.approx(
        cells["small@server how=sum"]["accuracy/story"].score.value - floor
    )
    assert not {test.row for test in gains} & {"position", "longest"}


def test_answers_that_cannot_be_read_are_counted_below_the_table(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SmallServer, "say", lambda self, text: "Well, who knows.")
    with SmallServer("text-only") as server:
        sheet = run_table(table, models=[server.address], settings={"score": "text"}, only=["longest"])
    count = len(sheet.items["story"])
    (line, *_) = [line for line in row_remarks(sheet.json()["rows"]) if "small@server" in line]
    assert f"of {count} answers 0 were refused and {count} could not be read" in line
    predictions = next(done.predictions["story"] for done in sheet.rows if "@server" in done.row.name)
    unparsed = make("metric", "unparsed")
    marks = [unparsed.mark(item, predictions[item.id]) for item in sheet.items["story"]]
    assert all(mark["unread"] == 1.0 for mark in marks)


def test_the_estimate_counts_requests_before_any_is_sent(table: str) -> None:
    spec = load(table)
    items = 6
    said = estimate(spec, Ways(limit=items), ["openai:http://x/v1#m"], {}, Budget.parse("", "in=1,out=1"))
    assert said.startswith(f"about {2 * 2 * 2 * items:,} requests") and "dollars" in said
    for name, requests in (
        ("story", 24),
        ("alone", 24),
        ("learned", 0),
    ):  # those that learn from labels are not asked of it
        alone = msgspec.structs.replace(spec, condition=[part for part in spec.condition if part.name == name])
        said = estimate(alone, Ways(limit=items), ["openai:http://x/v1#m"], {}, Budget.parse("", "in=1,out=1"))
        assert said.startswith(f"about {requests} requests"), name
    assert estimate(spec, Ways(limit=items), ["gguf:file.gguf"], {}, Budget.parse("")) == ""


def test_the_command_ends_with_code_3_where_the_model_could_not_be_asked(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with SmallServer() as server:
        address = server.address
    assert run(["bench", table, "--model", address]) == 3
    assert "No server answers" in capsys.readouterr().out


def test_the_command_ends_with_code_4_where_the_budget_ends_and_goes_on(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with SmallServer() as server:
        command = ["bench", table, "--model", server.address, "--set", "how=sum"]
        assert run([*command, "--budget", "requests=14"]) == 4
        assert "the same command goes on" in capsys.readouterr().err
        asked = len(server.requests)
        assert run(command) == 0
        shown = capsys.readouterr().out
    assert "Servers will be asked for at most about" in shown and "small@server how=sum" in shown
    prompts = [r["body"]["prompt"] for r in server.requests[asked:] if r["body"].get("echo")]
    before = [r["body"]["prompt"] for r in server.requests[:asked] if r["body"].get("echo")]
    assert {p for p in prompts if p in before} <= {p for p in before if "cat" in p or "door" in p or "France" in p}
