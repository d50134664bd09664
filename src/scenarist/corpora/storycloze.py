"""Story Cloze Test (Mostafazadeh et al. 2016, section 4; Sharma et al. 2018) -> ClozeStory.

The official CSV columns. The validation file is dev; there is no training file (the training data are ROCStories, which
have no endings to choose from). The 2018 test file carries no answers: ``answer`` is None there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from scenarist.corpora.loader import Ids, Loader
from scenarist.errors import BadInput
from scenarist.formats.table import rows
from scenarist.noun import Noun

CONTEXT = ("InputSentence1", "InputSentence2", "InputSentence3", "InputSentence4")
ENDINGS = ("RandomFifthSentenceQuiz1", "RandomFifthSentenceQuiz2")
ANSWER = "AnswerRightEnding"


class ClozeStory(Noun, frozen=True):
    """Four sentences and two endings, one of which is right."""

    id: str
    context: tuple[str, str, str, str]
    endings: tuple[str, str]
    answer: int | None = None
    """0 or 1, None where the release keeps it back."""
    source: str = ""


class StoryCloze2016(Loader[ClozeStory]):
    """Spring 2016: validation (dev) and test."""

    name = "storycloze-2016"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "dev": ("cloze_test_val__spring2016.csv", "cloze_test_val__spring2016 - cloze_test_ALL_val.csv"),
        "test": ("cloze_test_test__spring2016.csv", "cloze_test_test__spring2016 - cloze_test_ALL_test.csv"),
    }

    def __init__(self, split: str = "dev", path: str | Path | None = None) -> None:
        super().__init__(split, path)

    def read(self, path: Path) -> Iterator[ClozeStory]:
        ids = Ids()
        for row in rows(path, ("InputStoryid", *CONTEXT, *ENDINGS)):
            answer = row.values.get(ANSWER, "").strip()
            if answer not in ("", "1", "2"):
                raise BadInput(f"{row.where}: {ANSWER} must be 1 or 2, not {answer!r}")
            one, two, three, four = (row[column].strip() for column in CONTEXT)
            yield ClozeStory(
                ids.distinct(row["InputStoryid"].strip(), row),
                (one, two, three, four),
                (row[ENDINGS[0]].strip(), row[ENDINGS[1]].strip()),
                int(answer) - 1 if answer else None,
                self.source,
            )


class StoryCloze2018(StoryCloze2016):
    """Winter 2018 (Sharma et al.): new endings, written so that the ending alone tells less."""

    name = "storycloze-2018"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "dev": ("cloze_test_val__winter2018.csv", "cloze_test_val__winter2018-cloze_test_ALL_val - 1 - 1.csv"),
        "test": ("cloze_test_test__winter2018.csv", "cloze_test_test__winter2018-cloze_test_ALL_test - 1.csv"),
    }


class StoryClozeFolder(StoryCloze2016):
    """A set of one's own in the official columns: a folder (``storycloze:DIR``), or one file. A lab's set has these file names."""

    name = "storycloze"
    usual_split: ClassVar[str] = "all"

    def __init__(self, target: str | Path, split: str = "all") -> None:
        super().__init__(split, target)

    def read(self, path: Path) -> Iterator[ClozeStory]:
        files = [path] if path.is_file() else self.files_in(path)
        for file in files:
            yield from super().read(file)

    def files_in(self, folder: Path) -> list[Path]:
        """The files of the split."""
        known = StoryCloze2016.files if self.split == "all" else {self.split: StoryCloze2016.files.get(self.split, ())}
        files = [folder / name for names in known.values() for name in names if (folder / name).is_file()]
        if not files:
            wanted = ", ".join(names[0] for names in known.values() if names) or f"no file has the split {self.split}"
            raise BadInput(
                f"{folder}: expected a Story Cloze set ({wanted}). Make one from a study: "
                f"scenarist corpus from-study lab.db rate-story -o {folder}"
            )
        return files
