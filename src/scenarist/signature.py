"""What exactly was run, as one line under every number.

A signature is the metric's name and then ``key:value`` fields joined by ``|``, always in the same order, e.g.
``recall@50|exam:eventcloze|preset:lm-cloze|ties:expected|data:nyt-chains#7f3a|read:none|seed:13|v:0.1``. The data field
carries a hash of the very items that were asked, so two numbers under one signature were measured on the same thing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from scenarist.errors import BadInput

FIRST = ("model", "with", "weights", "train", "held", "from", "exam")
"""Fields that stand at the beginning of every signature, in this order: who answered what."""
LAST = ("data", "split", "limit", "read", "made", "seed", "v")
"""Fields that stand at the end of every signature, in this order."""

WORDS = {
    "exam": "the exam was '{}'",
    "counted": "frequencies were counted over {} events",
    "enough": "a set of wordings counted as covered where one event matched a share of {} of them",
    "start": "the script was learned with its own DeScript {}",
    "met": "a suggestion met an accepted event from a likeness of {}",
    "stated": "a cause or effect counted as unstated where at most a share of {} of its content words stand in the story",
    "several": "of several scenarios each counted as a {}",
    "open": "a pair of events whose order is open counted {}",
    "library": "the library held {} scripts",
    "cutoff": "pairs seen fewer than {} times were left out",
    "edges": "edges of windows: {}",
    "inner": "with {} sentences in a segment inside another",
    "nested": "a share of {} of the segments held another inside",
    "topics": "the model had {} topics",
    "passes": "the topics were learned in {} passes over the texts",
    "rank": "keys that tie stand at their {} rank",
    "events": "events were taken from '{}'",
    "related": "neighbours in a document told related scenarios with a chance of {}",
    "together": "neighbours in a document were drawn as they are told together in real texts with a chance of {}",
    "stories": "{} stories were counted",
    "rule": "the rule was '{}'",
    "canary": "the language model that was handed in is {} (a hash of what it says of fixed texts)",
    "model": "the answers came from the model '{}'",
    "with": "made with the settings {}",
    "preset": "with the named settings '{}'",
    "form": "in the form '{}'",
    "kind": "on the corpus's view '{}'",
    "mode": "blanks were carried forward as '{}' (oracle: the key, greedy: the solver's own guess)",
    "setting": "in the setting '{}'",
    "forms": "predicates were compared as {}s",
    "min": "chains had at least {} events",
    "repeats": "events that come twice in a chain: '{}'",
    "position": "the position of the gap was {}",
    "chains": "chains tested: {}",
    "row": "it is the row '{}' of its table",
    "gaps": "gaps of a chain: '{}' (each event once, the last, or one drawn at random)",
    "items": "at most {} items were drawn (0: all)",
    "ties": "tied candidates counted at their {} rank",
    "k": "the first {} guesses counted",
    "window": "the comparison window was {}",
    "convention": "boundaries were counted by the convention of {}",
    "average": "the average was {}",
    "unit": "one {} counted as one",
    "words": "the words were those of '{}'",
    "feed": "the solver was fed '{}' of the text",
    "cut": "texts were cut at {} words",
    "context": "the context seen was '{}' of the blank",
    "labels": "labels counted: '{}'",
    "core": "only the events of the list {} were asked",
    "stitch": "documents were stitched with the seeds {}",
    "documents": "{} documents were stitched",
    "segments": "with {} stories each",
    "sentences": "of {} sentences a story",
    "runs": "and runs of {} sentences of other text between them",
    "others": "which came from {}",
    "other": "other text stood at a share of {} of the places",
    "of": "from the stories of {}",
    "floor": "a probability below {} was taken as that",
    "base": "logarithms were to the base {}",
    "wrong": "wrong labels counted '{}'",
    "none": "sentences without a scenario: '{}'",
    "top": "the first '{}' labels of a sentence counted (n: as many as the key has)",
    "between": "relations counted between '{}'",
    "scenario": "the scenario was '{}'",
    "rounding": "half a window was rounded to {}",
    "per": "{} a unit (chain, story or sentence)",
    "tokens": "tokens were '{}'",
    "part": "the part '{}' was measured",
    "see": "the solver saw the '{}'",
    "weighted": "weighted: {}",
    "singletons": "entities mentioned once counted: {}",
    "cased": "upper and lower case were told apart: {}",
    "shuffle": "sentences were shuffled with the seed {}",
    "least": "at least {}",
    "most": "at most {}",
    "near": "a place counted as right within {}",
    "choices": "among {} choices",
    "against": "wrong choices were drawn '{}'",
    "candidates": "candidates were drawn by '{}'",
    "genre": "of the genre '{}'",
    "accept": "other right answers: '{}'",
    "unshared": "without chains that the train part of {} tells too",
    "args": "arguments were compared as '{}'",
    "tests": "the tests were read from {}",
    "roles": "roles counted: {}",
    "verb": "a verb is a word that is tagged {}",
    "band": "only missing events seen so often in training: {}",
    "set": "of the corpus's set '{}'",
    "descript": "descriptions of the activity: {}",
    "by": "counted by {}",
    "agreement": "agreement counted as {}",
    "cap": "at most {} counted",
    "test": "the difference was tested by {}",
    "data": "the items came from {} (name # hash of the items' content)",
    "split": "of the split '{}'",
    "limit": "only the first {} items were asked",
    "asked": "about every so many-th text was asked, {} items in all",
    "read": "text was read by {}",
    "train": "the model learned from {} (it, its weights, and the networks below them)",
    "from": "of these, what the settings {} choose",
    "held": "and stopped or was tuned on {} (corpus = split)",
    "weights": "with the weights {} (a hash of the content of all files it reads, one for each seed)",
    "made": "its answers were {} (recorded: made before and kept; live: asked in this run)",
    "seed": "random choices were seeded with {}",
    "v": "by scenarist {}",
}
"""What a field says, ``{}`` for its value."""
SAID = {
    ("repeats", "yes"): "events that come twice in a chain counted each time",
    ("repeats", "no"): "events that come twice in a chain counted once",
    ("chains", "all"): "all chains were tested",
    ("position", "known"): "the position of the gap was told",
    ("position", "unknown"): "the position of the gap was not told",
    ("gaps", "each"): "each event of a chain was the gap once",
    ("gaps", "last"): "the last event of a chain was the gap",
    ("gaps", "random"): "one event of a chain, drawn at random, was the gap",
    ("items", "0"): "all items were asked",
    ("ties", "expected"): "tied candidates counted at their expected rank",
    ("scenario", "hidden"): "the scenario was not told",
    ("scenario", "gold"): "the scenario was told",
    ("singletons", "no"): "entities mentioned once were left out",
    ("singletons", "yes"): "entities mentioned once counted",
    ("cased", "yes"): "upper and lower case were told apart",
    ("weighted", "no"): "all disagreements weighed the same",
    ("see", "ending"): "the solver saw the endings only",
    ("see", "story"): "the solver saw the whole story",
    ("cut", "none"): "texts were not cut",
    ("feed", "all"): "of a filled blank all words were read on",
    ("feed", "but-last"): "of a filled blank all words but the last were read on",
    ("context", "left"): "the text before the blank was in view",
    ("context", "both"): "the text before and after the blank was in view",
    ("average", "micro"): "counts of all items were added before the division",
    ("average", "macro"): "each label counted the same",
    ("average", "document"): "each document counted the same",
    ("window", "half-mean"): "a window is half as long as a segment of the key is on average",
    ("labels", "inventory"): "labels of the inventory counted, others did not",
    ("none", "empty"): "a sentence without a scenario has no label, and a label guessed there is a mistake",
    ("none", "label"): "a sentence without a scenario has a label of its own",
    ("none", "ignore"): "sentences without a scenario were passed over",
    ("wrong", "whole"): "each wrong label counted as one mistake",
    ("wrong", "proportional"): "a wrong label of a sentence with n right ones counted as 1/n of a mistake",
    ("top", "n"): "of a sentence's labels as many counted as the key has, the heaviest",
    ("top", "all"): "all labels of a sentence counted",
    ("between", "labels"): "a boundary stands wherever the heaviest labels of neighbouring sentences differ",
    ("between", "segments"): "a boundary stands wherever a segment begins or ends",
    ("accept", "others"): "other accepted answers of an item counted as the key",
    ("args", "types"): "arguments were compared by their type",
    ("args", "single"): "an event is a verb and the role of one entity",
    ("args", "multi"): "an event is a verb with all its arguments as variables",
    ("candidates", "frequency"): "wrong candidates were drawn as often as they are told",
    ("candidates", "random"): "wrong candidates were drawn at random",
    ("against", "matched"): "wrong choices are told by as many tellers as the right one",
    ("against", "other"): "wrong choices are rarely told, or of other scenarios",
    ("tokens", "gold"): "the corpus's own tokens were given",
    ("tokens", "raw"): "raw text was given, and the reader found the tokens",
    ("read", "default"): "text was read by scenarist's own reader",
    ("read", "none"): "no text was read",
    ("unit", "characters"): "words were found by their places in the text, counted in characters",
    ("unit", "nats"): "logarithms were natural",
    ("core", "labels"): "only events with a script label were asked",
    ("edges", "plain"): "windows stayed inside the text",
    ("edges", "padded"): "windows reached over both ends of the text",
    ("rule", "paper"): "sentences were rewritten by the rule of the paper",
    ("form", "mcscript"): "the verb of a sentence that was taken out of a story of MCScript is asked for",
    ("form", "inscript"): "a script event that was taken out of a story of InScript is asked for",
    ("form", "absent"): "what most tell and this story does not is asked for",
    ("mode", "oracle"): "earlier blanks of a text held their keys (oracle)",
    ("mode", "greedy"): "earlier blanks of a text held what the solver had written (greedy)",
    ("chains", "central"): "of each document only the chain of its central entity was tested",
    ("made", "recorded"): "its answers were made before and kept (recorded)",
    ("made", "live"): "its answers were asked in this run (live)",
    ("made", "recorded+live"): "its answers were in part made before and kept, in part asked in this run",
    ("verb", "VERB"): "a verb is a word that the corpus tags so",
}
"""What a field says with one value of its own."""


def plain(value: object) -> str:
    """A setting as it stands in a signature: no ``|``, ``:`` or space can hide in it.

    >>> plain(True), plain(["a", "b"]), plain(0.50), plain("a|b c")
    ('yes', 'a+b', '0.5', 'a/b_c')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Mapping):
        return "+".join(f"{key}={plain_part(part)}" for key, part in value.items()) or "none"
    if isinstance(value, Iterable) and not isinstance(value, str):
        return "+".join(plain_part(part) for part in value) or "none"
    return str(value).replace("|", "/").replace(":", "=").replace(" ", "_")


def plain_part(value: object) -> str:
    """A setting inside another: in brackets where it has parts itself.

    >>> plain({"skip": 2, "sizes": [1, 2]})
    'skip=2+sizes=(1+2)'
    """
    parts = isinstance(value, Iterable) and not isinstance(value, str)
    return f"({plain(value)})" if parts and value else plain(value)


def short_name(corpus: str) -> str:
    """A corpus as signatures name it: a folder without the path to it.

    >>> short_name("webanno:/home/ann/blogs/"), short_name("mcscript")
    ('webanno:blogs', 'mcscript')
    """
    kind, colon, target = corpus.partition(":")
    return f"{kind}:{Path(target).name}" if colon else corpus


def sign(metric: str, fields: Mapping[str, object]) -> str:
    """The signature of a number.

    >>> sign("accuracy", {"seed": 13, "exam": "storycloze", "ties": "expected", "v": "0.1"})
    'accuracy|exam:storycloze|ties:expected|seed:13|v:0.1'
    """
    middle = [key for key in fields if key not in LAST and key not in FIRST]
    keys = [key for key in FIRST if key in fields] + middle + [key for key in LAST if key in fields]
    return "|".join([metric, *(f"{key}:{plain(fields[key])}" for key in keys)])


def parse(signature: str) -> tuple[str, dict[str, str]]:
    """The metric and the fields of a signature.

    >>> parse("accuracy|exam:storycloze|seed:13")
    ('accuracy', {'exam': 'storycloze', 'seed': '13'})
    """
    metric, *parts = signature.strip().split("|")
    if not metric or not parts or any(":" not in part for part in parts):
        raise BadInput(
            f"Not a signature: {signature!r}. Expected a metric and key:value fields joined by '|', such as "
            "'accuracy|exam:storycloze|data:toy#12ab|seed:13|v:0.1'."
        )
    return metric, dict(part.split(":", 1) for part in parts)


PRETRAINED = {"smollm2": "SmolLM2-135M", "minilm": "all-MiniLM-L6-v2"}
"""Networks of others below ours, which read texts of the web that nobody here has seen."""


def pretrained(signature: str) -> list[str]:
    """The networks of others that a number stands on, by its signature; ``candidate`` for a language model that was handed in.

    >>> pretrained("match|model:causal-lm|train:smollm2+kidscook|seed:1"), pretrained("match|model:unigram|train:kidscook|seed:1")
    (['SmolLM2-135M'], [])
    """
    _, fields = parse(signature)
    below = [PRETRAINED[name] for name in fields.get("train", "").split("+") if name in PRETRAINED]
    return [*below, *(["candidate"] if "canary" in fields else [])]


def explain(signature: str) -> list[str]:
    """A signature in words, one sentence part a line.

    >>> explain("accuracy|exam:storycloze|seed:13")[1]
    "the exam was 'storycloze'"
    """
    metric, fields = parse(signature)
    return [f"the number is '{metric}'", *(field_in_words(key, value) for key, value in fields.items())]


LISTED = ("train", "held", "with", "from", "data", "seed", "stitch", "others", "weights", "read")
"""Fields whose value is a list."""


def field_in_words(key: str, value: str) -> str:
    """One field of a signature in words.

    >>> field_in_words("gaps", "each"), field_in_words("depth", "3"), field_in_words("read", "ewt+gum")
    ('each event of a chain was the gap once', "the setting 'depth' was '3'", 'text was read by ewt, gum')
    >>> field_in_words("row", "bigram_-_unigram,_lm-cloze"), field_in_words("with", "skip=2+sizes=(1+2)")
    ("it is the row 'bigram - unigram, lm-cloze' of its table", 'made with the settings skip = 2, sizes = (1, 2)')
    """
    if (key, value) in SAID:
        return SAID[key, value]
    if key in LISTED:
        value = value.replace("+", ", ")
    if key in ("with", "from"):
        value = value.replace("=", " = ")
    if key in ("row", "descript"):
        value = value.replace("_", " ")
    return WORDS[key].format(value) if key in WORDS else f"the setting '{key}' was '{value}'"


def content_hash(parts: Iterable[bytes], length: int = 8) -> str:
    """A short hash of content, in order."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()[:length]
