"""The steps by which a server can be brought to give ln P of a text, best first; each finds out whether the server does what it was asked.

- ``echo``: the prompt comes back with its log-probabilities (`/completions` with ``echo``; OpenAI's old models, some servers).
- ``prompt-logprobs``: the same under vLLM's name.
- ``token-grammar``: llama.cpp is made to write the continuation by a grammar of token ids; its log-probabilities are taken before the
  grammar bites. The ids are those of `/tokenize`; a grammar of characters would spell the text in other pieces and be wrong.
- ``vocabulary-walk``: one request a token, with the log-probabilities of the whole vocabulary.

A server that answers 200 and ignores the request is told by what comes back: not the text that was sent, no numbers, other tokens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from scenarist.networks.addresses.base import TextScore
from scenarist.networks.addresses.client import Refused

Ask: TypeAlias = Callable[..., Any]
"""(path, body, root=False) -> the answer."""
WALK = 1 << 17
"""More than any vocabulary has pieces."""
NEAR = 5e-3


def first_choice(answer: Any) -> Mapping[str, Any]:
    """The first choice of an answer, or a refusal."""
    try:
        choice = answer["choices"][0]
    except (KeyError, IndexError, TypeError):
        raise Refused("the answer has no choices") from None
    if not isinstance(choice, dict):
        raise Refused("the answer has no choices")
    return choice


def logprobs_of(choice: Mapping[str, Any]) -> Mapping[str, Any]:
    """The log-probabilities of a choice, or a refusal."""
    logprobs = choice.get("logprobs")
    if not isinstance(logprobs, dict):
        raise Refused("the answer has no log-probabilities")
    return logprobs


def total(values: Sequence[Any], what: str) -> TextScore:
    """The sum of log-probabilities, none of which may be missing."""
    if not values or any(not isinstance(value, int | float) or not math.isfinite(value) for value in values):
        raise Refused(f"{what}: log-probabilities are missing")
    if all(value == 0 for value in values):
        raise Refused(f"{what}: all log-probabilities are zero")
    return TextScore(float(math.fsum(values)), len(values))


def by_echo(ask: Ask, prompt: str, text: str) -> TextScore:
    """Let the text come back with its log-probabilities."""
    whole = prompt + text
    body = {"prompt": whole, "max_tokens": 1, "echo": True, "logprobs": 1, "temperature": 0}
    choice = first_choice(ask("/completions", body))
    if not str(choice.get("text", "")).startswith(whole):
        raise Refused("`echo` is ignored: the text does not come back")
    logprobs = logprobs_of(choice)
    tokens, values, offsets = (logprobs.get(name) for name in ("tokens", "token_logprobs", "text_offset"))
    if not tokens or not values or len(tokens) != len(values):
        raise Refused("the log-probabilities are not those of the text")
    if not offsets:
        offsets = [sum(len(token) for token in tokens[:index]) for index in range(len(tokens))]
    inside = [
        index
        for index, offset in enumerate(offsets)
        if offset + len(tokens[index]) > len(prompt) and offset < len(whole)
    ]
    return total([values[index] for index in inside], "echo")


def by_prompt_logprobs(ask: Ask, prompt: str, text: str) -> TextScore:
    """vLLM's form: a list of token id -> log-probability and text, the first one null."""
    body = {"prompt": prompt + text, "max_tokens": 1, "prompt_logprobs": 0, "temperature": 0}
    found = first_choice(ask("/completions", body)).get("prompt_logprobs")
    if not isinstance(found, list) or len(found) < 2:
        raise Refused("`prompt_logprobs` is ignored")
    pieces: list[tuple[str, float | None]] = []
    for entry in found:
        if entry is None:
            pieces.append(("", None))
            continue
        token = next(iter(entry.values()))
        pieces.append((str(token.get("decoded_token", "")), token.get("logprob")))
    length = 0
    values: list[Any] = []
    for piece, value in reversed(pieces):  # the first piece is not told, so count from the end
        if length >= len(text):
            break
        length += len(piece)
        values.append(value)
    if length < len(text) or not (prompt + text).endswith(
        "".join(piece for piece, _ in pieces[len(pieces) - len(values) :])
    ):
        raise Refused("the pieces of `prompt_logprobs` are not those of the text")
    return total(values[::-1], "prompt_logprobs")


def tokenize(ask: Ask, text: str) -> list[int]:
    """The ids of a text by llama.cpp."""
    answer = ask("/tokenize", {"content": text}, root=True)
    ids = answer.get("tokens") if isinstance(answer, dict) else None
    if not isinstance(ids, list) or not ids or not all(isinstance(token, int) for token in ids):
        raise Refused("there is no /tokenize that gives ids")
    return ids


def by_token_grammar(ask: Ask, prompt: str, text: str) -> TextScore:
    """Make llama.cpp write these very tokens."""
    ids = tokenize(ask, text)
    body = {
        "prompt": prompt, "grammar": "root ::= " + " ".join(f"<[{token}]>" for token in ids), "max_tokens": len(ids),
        "logprobs": 1, "temperature": 0,
    }  # fmt: skip
    choice = first_choice(ask("/completions", body))
    content = logprobs_of(choice).get("content")
    if not isinstance(content, list) or [entry.get("id") for entry in content] != ids:
        raise Refused("`grammar` is ignored: other tokens come back")
    return total([entry.get("logprob") for entry in content], "token grammar")


def by_vocabulary_walk(ask: Ask, prompt: str, text: str) -> TextScore:
    """Ask for the whole vocabulary, token by token."""
    before, ids = tokenize(ask, prompt), tokenize(ask, text)
    values: list[float] = []
    for index, token in enumerate(ids):
        body = {"prompt": [*before, *ids[:index]], "max_tokens": 1, "logprobs": WALK, "temperature": 0}
        content = logprobs_of(first_choice(ask("/completions", body))).get("content")
        if not isinstance(content, list) or not content:
            raise Refused("`logprobs` does not give the vocabulary")
        listed = {entry.get("id"): entry.get("logprob") for entry in content[0].get("top_logprobs", ())}
        if token not in listed:
            raise Refused(f"`logprobs` gives {len(listed)} tokens only, not the vocabulary")
        values.append(listed[token])
    return total(values, "vocabulary walk")


LADDER: Mapping[str, Callable[[Ask, str, str], TextScore]] = {
    "echo": by_echo,
    "prompt-logprobs": by_prompt_logprobs,
    "token-grammar": by_token_grammar,
    "vocabulary-walk": by_vocabulary_walk,
}


def letter_levels(choice: Mapping[str, Any], letters: Sequence[str]) -> list[float]:
    """ln P of each letter among the likeliest first tokens; one that is not listed is no likelier than the last that is."""
    logprobs = logprobs_of(choice)
    listed: list[tuple[str, float]] = []
    content = logprobs.get("content")
    if isinstance(content, list) and content:
        listed = [(str(entry["token"]), float(entry["logprob"])) for entry in content[0].get("top_logprobs") or ()]
    elif isinstance(logprobs.get("top_logprobs"), list) and logprobs["top_logprobs"]:
        listed = [(str(token), float(value)) for token, value in (logprobs["top_logprobs"][0] or {}).items()]
    if len(listed) < 2:
        raise Refused("the answer does not list the likeliest tokens")
    levels: list[float] = []
    last = min(value for _, value in listed)
    for letter in letters:
        found = [value for token, value in listed if token.strip() == letter]
        levels.append(math.log(math.fsum(math.exp(value) for value in found)) if found else last)
    if all(token.strip() not in letters for token, _ in listed):
        raise Refused("none of the letters is among the likeliest tokens")
    return levels
