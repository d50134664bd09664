"""The command line as a user meets it: help, exam, score, bench, errors and exit codes, in real processes where it matters."""

import json
import os
import subprocess
import sys

import pytest

from scenarist.cli.main import VERBS, run

LINE = '{{"item": "{}", "guesses": [{{"answer": "{}"}}], "by": "{}"}}\n'


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def exam(tmp_path):
    assert (
        run(["exam", "eventcloze", "toy", "--corpus-set", "kind=chains", "--set", "gaps=each", "-o", "d", "--quiet"])
        == 0
    )
    return tmp_path / "d"


def keys(exam):
    return [json.loads(line) for line in (exam / "keys.jsonl").read_text().splitlines()]


def predictions(exam, name, right=0.5):
    found = keys(exam)
    lines = [
        LINE.format(k["id"], k["key"] if n < right * len(found) else "nothing:subj", name) for n, k in enumerate(found)
    ]
    (exam.parent / f"{name}.jsonl").write_text("".join(lines))
    return f"{name}.jsonl"


def test_names_of_a_wide_table_are_never_cut_short(tmp_path, capsys):
    """Two rows whose names begin alike must be told apart, however many columns there are."""
    condition = '[[condition]]\nname = "%s-with-a-long-name"\ncorpus = "toy"\ncorpus_settings = { kind = "cloze" }\nexam = "storycloze"\nmetrics = ["accuracy"]\n'
    row = '[[row]]\nmodel = "constant-first"\nrole = "baseline"\nlabel = "a-solver-with-a-long-name-%s"\n'
    text = (
        'name = "wide"\ntitle = "Wide"\nseeds = [1]\n'
        + "".join(condition % n for n in range(12))
        + row % "one"
        + row % "two"
    )
    (tmp_path / "wide.toml").write_text(text, encoding="utf-8")
    assert run(["bench", "wide.toml", "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert "\N{HORIZONTAL ELLIPSIS}" not in shown
    first = "".join(
        line.split("\N{BOX DRAWINGS LIGHT VERTICAL}")[1].strip()
        for line in shown.splitlines()
        if line.startswith("\N{BOX DRAWINGS LIGHT VERTICAL}")
    )
    if first:  # a table
        assert first == "a-solver-with-a-long-name-onea-solver-with-a-long-name-two"
    else:  # a row of lines, where the terminal is narrow
        assert "a-solver-with-a-long-name-one" in shown and "a-solver-with-a-long-name-two" in shown


def test_help_is_quick_and_lean():
    code = (
        "import sys; from scenarist.cli.main import run; run(['--help']); print(len(sys.modules), *sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    count, *modules = done.stdout.splitlines()[-1].split(" ")
    heavy = {
        "numpy",
        "spacy",
        "torch",
        "duckdb",
        "ibis",
        "pandas",
        "msgspec",
        "scenarist.bench",
        "scenarist.reading",
        "scenarist.models",
    }
    assert not heavy & set(modules)
    assert int(count) < 650
    for verb in VERBS:
        assert verb in done.stdout


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(verb, capsys):
    assert run([verb, "--help"]) == 0
    assert "Usage" in capsys.readouterr().out


def test_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("scenarist 0.")


def test_a_newcomer_scores_a_file(exam, capsys):
    assert run(["score", "d", predictions(exam, "mine")]) == 0
    out = capsys.readouterr().out
    assert "95 % interval" in out
    assert "|exam:eventcloze|" in out


def test_two_systems_are_compared(exam, capsys):
    files = [predictions(exam, "good", 0.9), predictions(exam, "bad", 0.1)]
    assert run(["score", "d", *files, "--metric", "recall@1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [system["name"] for system in found["systems"]] == ["good", "bad"]
    test = found["tests"][0]
    assert test["difference"] > 0.7
    assert test["p"] < 0.05  # six stories are six clusters: p cannot be smaller than about 2 in 64
    assert test["low"] <= test["difference"] <= test["high"]


def test_missing_predictions_are_said(exam, capsys):
    path = exam.parent / predictions(exam, "mine")
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:5]))
    assert run(["score", "d", "mine.jsonl"]) == 0
    assert "counted as wrong" in capsys.readouterr().out
    assert run(["score", "d", "mine.jsonl", "--strict"]) == 2
    assert "--strict refuses" in capsys.readouterr().err


@pytest.mark.parametrize("args, code, message", [
    (["scor"], 2, "Did you mean 'score'"),
    (["exam", "eventclose", "toy", "-o", "x"], 2, "Did you mean 'eventcloze'"),
    (["exam", "eventcloze", "toi", "-o", "x"], 2, "Did you mean 'toy'"),
    (["exam", "eventcloze", "toy", "-o", "x", "--set", "min"], 2, "key=value"),
    (["exam", "eventcloze", "toy", "-o", "x", "--set", "minimum=2", "--corpus-set", "kind=chains"], 2, "min"),
    (["score", "nowhere", "p.jsonl"], 2, "scenarist exam NAME CORPUS"),
    (["bench", "toi"], 2, "Did you mean 'toy'"),
    (["bench", "toy", "--only", "unigramm"], 2, "Did you mean 'unigram'"),
    (["bench"], 2, "--list"),
    (["bench", "--explain", "hello"], 2, "Not a signature"),
    (["bench", "mine.toml"], 2, "no file mine.toml"),
    (["bench", "toy", "--html", "."], 2, "is a folder"),
    (["bench", "toy", "--bad-option"], 2, ""),
])  # fmt: skip
def test_errors_are_one_message_and_a_code(args, code, message, capsys):
    assert run(args) == code
    found = capsys.readouterr().err
    assert message in found
    assert "Traceback" not in found


def test_a_missing_corpus_says_how_to_get_it(monkeypatch, capsys):
    monkeypatch.setenv("SCENARIST_DATA", "")
    assert run(["exam", "eventcloze", "nyt-chains", "-o", "x"]) == 3
    assert "SCENARIST_DATA" in capsys.readouterr().err


def test_nothing_is_half_written(tmp_path, capsys):
    (tmp_path / "blocked").write_text("a file, no folder")
    assert run(["exam", "eventcloze", "toy", "--corpus-set", "kind=chains", "-o", "blocked"]) == 2
    assert (tmp_path / "blocked").read_text() == "a file, no folder"


def test_bench_json_keeps_its_promise(capsys):
    assert run(["bench", "toy", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) >= {"table", "split", "signature", "rows"}
    row = next(row for row in found["rows"] if row["model"] == "bigram")
    score = row["scores"]["recall@5/missing-event"]
    assert 0 <= score["low"] <= score["value"] <= score["high"] <= 1
    assert score["n"] > 10
    assert any(test["reference"] == "frequency" for test in found["tests"])


def test_bench_twice_gives_the_same_bytes(capsys):
    run(["bench", "toy", "--json"])
    first = capsys.readouterr().out
    run(["bench", "toy", "--json"])
    second = capsys.readouterr().out
    run(["bench", "toy", "--json", "--refresh"])
    assert first == second == capsys.readouterr().out


def test_limit_stands_in_the_signature(capsys):
    assert run(["bench", "toy", "--only", "unigram", "--limit", "5", "--json"]) == 0
    score = json.loads(capsys.readouterr().out)["rows"][0]["scores"]["mrr/missing-event"]
    assert score["n"] == 5
    assert "|limit:5|" in score["signature"]


def test_explain_list_cite(capsys):
    assert run(["bench", "--explain", "recall@5|exam:eventcloze|ties:expected|seed:13|v:0.1"]) == 0
    assert "expected rank" in capsys.readouterr().out
    assert run(["bench", "--list"]) == 0
    assert "toy" in capsys.readouterr().out
    assert run(["bench", "toy", "--only", "unigram", "--cite"]) == 0
    assert "signature" in capsys.readouterr().out


def test_no_colour_and_no_progress_when_piped(tmp_path):
    env = {**os.environ, "SCENARIST_HOME": str(tmp_path / "h")}
    command = [sys.executable, "-m", "scenarist", "bench", "toy", "--only", "unigram"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_doctor_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.setenv("SCENARIST_DATA", "")
    assert run(["doctor", "--json"]) == 0
    found = {one["part"]: one for one in json.loads(capsys.readouterr().out)}
    assert found["scenarist"]["state"] == "ok"
    assert "corpora" in found


def test_ctrl_c_is_said_and_the_next_run_goes_on(monkeypatch, capsys):
    from scenarist.models import floor

    real = floor.Frequency.answer

    def stop(self, question):
        raise KeyboardInterrupt

    monkeypatch.setattr(floor.Frequency, "answer", stop)
    assert run(["bench", "toy", "--only", "frequency"]) == 130
    assert "goes on from there" in capsys.readouterr().err
    monkeypatch.setattr(floor.Frequency, "answer", real)
    assert run(["bench", "toy", "--only", "frequency"]) == 0
