"""scenarist reads everyday stories, learns scripts, and examines script knowledge of models and of people.

>>> import scenarist
>>> scenarist.detect("We mixed flour, sugar and eggs. Then we poured the batter into a pan and baked the cake.").segments[0].names[0]
'baking a cake'

Its verbs are functions that give nouns: what `scenarist VERB` does in a terminal, ``scenarist.VERB`` does in Python. Both load when
they are asked for; importing the package loads nothing. Types for editors and mypy are in ``__init__.pyi``.
"""

__version__ = "0.1.0"

NOUNS = {
    "scenarist.story": (
        "Alignment", "Chain", "Entity", "Event", "Label", "Link", "Mention", "Pair", "Role", "Segment", "Sentence",
        "Story", "Token",
    ),
    "scenarist.script": (
        "EventType", "Reason", "Scenario", "Script",
    ),
    "scenarist.interpretation": (
        "Interpretation", "UnsaidEvent",
    ),
    "scenarist.question": (
        "Choice", "EventGap", "Guess", "Item", "Mark", "Order", "Permutation", "Prediction", "Read", "Reading",
        "Score", "Segments", "Unsaid", "Where", "WordGap", "SentenceGap", "Rate", "Group", "Relate", "Compose", "Groups", "Parts",
    ),
    "scenarist.answers": (
        "AlignedPhrase", "AlignedPhrases", "Candidate", "CheckedStory", "ComparedChain", "ExplainedStep", "ModelColumn",
        "NarrativeChain", "LearnedChains",
        "Explanation", "Fault", "FilledChain", "Finding", "KnownScenario",
        "KnownEvent", "KnownScript", "LearnedScripts", "NearPair", "OrderedSentences", "RankedOrder", "ReadFolder",
        "ScenarioRelation", "ScriptGap", "ScriptSummary", "StoryChains", "WrittenEndings", "SimulatedRun",
    ),
    "scenarist.marked": (
        "Comparison", "ExamCard", "ExamPaper", "Scored",
    ),
    "scenarist.errors": (
        "BadInput", "Missing",
    ),
}  # fmt: skip
"""Module -> the nouns in it that ``scenarist.NAME`` finds."""
__all__ = [
    "__version__",
    "read", "read_all", "read_folder", "detect", "detect_all", "events", "events_all", "chains", "fill",
    "fill_table", "order", "explain", "align", "show", "show_all", "script_gaps", "save_script", "save_scripts",
    "scenarios", "scenario", "add_scenario", "added_scenarios", "forget_scenario", "learn", "learn_scripts",
    "learn_chains", "show_chains", "compare_models",
    "corpus", "list_corpora", "describe_corpus", "count_corpus", "verify_corpus", "rank_corpus", "fit_affinity", "check_stories",
    "merge_annotations", "exam", "export", "leaderboard", "view", "score", "run_table",
    "tables", "get", "releases", "doctor", "simulate_study",
    "Alignment", "Chain", "Entity", "Event", "Label", "Link", "Mention", "Pair", "Role", "Segment", "Sentence",
    "Story", "Token", "EventType", "Reason", "Scenario", "Script", "Interpretation", "UnsaidEvent", "Choice",
    "EventGap", "Guess", "Item", "Mark", "Order", "Permutation", "Prediction", "Read", "Reading", "Score",
    "Segments", "Unsaid", "Where", "WordGap", "SentenceGap", "Rate", "Group", "Relate", "Compose", "Groups", "Parts",
    "AlignedPhrase", "AlignedPhrases", "Candidate", "FilledChain", "ComparedChain", "ModelColumn", "NarrativeChain", "LearnedChains",
    "CheckedStory", "Fault", "Finding", "KnownScenario", "KnownEvent", "KnownScript", "LearnedScripts", "NearPair",
    "OrderedSentences", "RankedOrder", "ReadFolder", "ScenarioRelation", "ScriptGap", "ScriptSummary", "StoryChains",
    "WrittenEndings", "ExplainedStep", "Explanation", "Comparison", "ExamCard", "ExamPaper", "Scored", "BadInput",
    "Missing", "SimulatedRun",
]  # fmt: skip


def __getattr__(name: str) -> object:
    from scenarist.registry import index, load

    if name in index("verb"):
        return load(index("verb")[name])
    for module, nouns in NOUNS.items():
        if name in nouns:
            return load(f"{module}:{name}")
    raise AttributeError(f"module 'scenarist' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
