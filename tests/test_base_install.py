"""The base install: reading, detecting and scoring touch none of the extras' packages."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
CODE = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"torch", "scipy", "pandas", "pyarrow", "sklearn", "duckdb", "ibis", "transformers", "gensim", "pyspark"}:
            raise ModuleNotFoundError(f"{name} is not part of the base install", name=name)
sys.meta_path.insert(0, Refuse())
from scenarist.cli.main import run
sys.exit(run(sys.argv[1:]))
"""


def scenarist(*args, cwd):
    return subprocess.run([sys.executable, "-c", CODE, *args], capture_output=True, text=True, check=False, cwd=cwd)


def test_the_base_install_reads_a_story(tmp_path):
    done = scenarist("read", str(ROOT / "examples" / "a-hot-bath.txt"), "--html", "page.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "taking a bath" in done.stdout
    assert (tmp_path / "page.html").stat().st_size > 5000


def test_the_base_install_detects_and_finds_events(tmp_path):
    story = str(ROOT / "examples" / "a-cake-for-grandma.txt")
    assert "baking a cake" in scenarist("detect", story, cwd=tmp_path).stdout
    assert "mix:subj" in scenarist("events", story, cwd=tmp_path).stdout


def test_the_base_install_sets_and_runs_an_exam(tmp_path):
    done = scenarist("exam", "eventcloze", "toy", "--corpus-set", "kind=chains", "-o", "d", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = scenarist("bench", "toy", "--only", "frequency,random", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_missing_extra_is_said_with_its_install_line(tmp_path):
    done = scenarist("learn", "toy", "-o", "model", cwd=tmp_path)
    assert done.returncode == 3
    assert "pip install 'scenarist[learn]'" in done.stderr
