"""``openai:URL#NAME`` -> Scorer: a model on a server, by the best step of the ladder that the server really does.

The probe asks for three canned pairs whose order is known; the likelihoods it gets are the model's canary and part of the name under which
answers are kept, so another model under the same name never gets them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from scenarist.errors import BadInput
from scenarist.networks.addresses.base import CANARIES, LIKELIHOOD, STEPS, Continuations, TextScore, check_scores
from scenarist.networks.addresses.budget import current
from scenarist.networks.addresses.client import Client, Refused
from scenarist.networks.addresses.ladder import LADDER, first_choice, letter_levels
from scenarist.store.requests import RequestLog

A = TypeVar("A")
B = TypeVar("B")
TOP = 20
"""Likeliest tokens that are asked for where letters are compared: the most that hosted servers give."""
LETTER_PROBE = "Which of these can one drink?\nA. milk\nB. gravel\nAnswer with the letter alone.\nAnswer:"


class ServedModel:
    """A model on a server."""

    def __init__(self, target: str, score: str = "", concurrency: int = 4) -> None:
        url, _, model = target.partition("#")
        if score and score not in STEPS:
            raise BadInput(f"`score` is one of {', '.join(STEPS[1:])}, not {score!r}.")
        if not 1 <= concurrency <= 256:
            raise BadInput(f"`concurrency` is from 1 to 256, not {concurrency}.")
        self.client, self.model, self.wanted, self.concurrency = Client(url), model, score, concurrency
        self.chat = ""
        self.step, self.identity = "", ""
        self.tried: dict[str, str] = {}
        """Steps that the server does not do, and what showed it."""
        self._chats: bool | None = None
        self._schema = True
        self._log: RequestLog | None = None

    @property
    def name(self) -> str:
        """The model's name without path and host."""
        return self.model.rstrip("/").rpartition("/")[2] or "model"

    # Asking

    def ask(self, path: str, body: dict[str, Any], root: bool = False, keep: bool = True) -> Any:
        """The answer to a request: kept from before, or asked now; what is asked now is written down first."""
        whole = body if root else {"model": self.model, **body}
        request = {"path": path, "body": whole}
        if keep and self._log is not None and (answer := self._log.find(request)) is not None:
            return answer
        characters, written = len(str(body.get("prompt", body.get("messages", "")))), int(body.get("max_tokens", 0))
        if not root:
            current().check(characters, written)
        answer = self.client.post(path, whole, root)
        if isinstance(answer, dict) and "error" in answer:
            raise Refused(f"{self.client.url}{path}: {answer['error']}")
        if keep and self._log is not None:
            self._log.keep(request, answer)
        usage = answer.get("usage") if isinstance(answer, dict) else None
        if isinstance(usage, dict):
            current().count(int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0))
        elif not root:
            current().count(characters // 4, written)
        return answer

    def each(self, function: Callable[[A], B], things: Sequence[A]) -> list[B]:
        """A function of all things, several at once; the first error ends it, what is answered is kept."""
        if self.concurrency == 1 or len(things) < 2:
            return [function(thing) for thing in things]
        with ThreadPoolExecutor(min(self.concurrency, len(things))) as pool:
            futures = [pool.submit(function, thing) for thing in things]
            try:
                return [future.result() for future in futures]
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    # Probing

    def ready(self) -> ServedModel:
        """Probe the server once: which step it stands on, and who it is."""
        if self.step:
            return self
        served = self.client.models()
        if not self.model:
            if not served:
                self.client.get("/models")  # says why there are none: no server, a wrong key, a web page
            if len(served) != 1:
                raise BadInput(
                    f"Which model? {self.client.url} serves {', '.join(served) or 'none that it names'}; write openai:URL#NAME."
                )
            (self.model,) = served
        elif served and self.model not in served and not any(name.rpartition("/")[2] == self.model for name in served):
            raise BadInput(f"{self.client.url} knows no model {self.model!r}. It serves: {', '.join(served)}.")
        for step in [self.wanted] if self.wanted else [*LADDER, "letters", "text"]:
            try:
                canary = self.probe(step)
            except Refused as error:
                self.tried[step] = str(error)
                continue
            self.step = step
            self._log = RequestLog(f"{self.client.url}{self.client.base}", self.model)
            self.identity = self._log.know(canary)
            return self
        why = "; ".join(f"{step}: {reason}" for step, reason in self.tried.items())
        hint = (
            "Try --set score=letters or --set score=text."
            if self.wanted in LIKELIHOOD
            else "It may not be a language model."
        )
        raise BadInput(f"{self.client.url} with {self.model!r} does not do what was asked ({why}). {hint}")

    def probe(self, step: str) -> tuple[float, ...]:
        """The canary's likelihoods by a step, or a refusal."""
        ask = partial(self.ask, keep=False)
        if step == "text":
            if not self.written(LETTER_PROBE, 3, None, ask).strip():
                raise Refused("the answer is empty")
            return (0.0,)
        if step == "letters":
            levels = self.letter_scores(LETTER_PROBE, ("A", "B"), ask)
            if levels[0] == levels[1]:
                raise Refused("both letters are as likely")
            return tuple(levels)
        scores: list[float] = []
        for canary in CANARIES:
            likely, odd = (LADDER[step](ask, canary.prompt, text).logp for text in canary.texts)
            if likely <= odd:
                raise Refused(
                    f"{canary.texts[1]!r} comes out as likelier than {canary.texts[0]!r} after {canary.prompt!r}"
                )
            scores += [likely, odd]
        return tuple(scores)

    # Scorer

    def logps(self, asked: Sequence[Continuations]) -> list[list[TextScore]]:
        """ln P of every continuation by the step that was probed."""
        self.ready()
        if self.step not in LADDER:
            raise BadInput(
                f"{self.client.url} gives no likelihoods of texts ({'; '.join(self.tried.values()) or self.step}). "
                "Choose among texts by --set score=letters or score=text."
            )
        pairs = list(dict.fromkeys((entry.prompt, text) for entry in asked for text in entry.texts))
        scores = dict(zip(pairs, self.each(lambda pair: LADDER[self.step](self.ask, *pair), pairs), strict=True))
        out = [[scores[entry.prompt, text] for text in entry.texts] for entry in asked]
        for row in out:
            check_scores([score.logp for score in row], self.name)
        return out

    def letters(self, prompts: Sequence[str], letters: Sequence[str]) -> list[list[float]]:
        """ln P of each letter."""
        self.ready()
        return self.each(lambda prompt: self.letter_scores(prompt, letters, self.ask), prompts)

    def letter_scores(self, prompt: str, letters: Sequence[str], ask: Callable[..., Any]) -> list[float]:
        """The levels of the letters after a prompt, by chat where the server has it."""
        if self.chats():
            body = {
                "messages": [{"role": "user", "content": prompt}], "max_tokens": 1, "logprobs": True, "top_logprobs": TOP, "temperature": 0,
            }  # fmt: skip
            return letter_levels(first_choice(ask("/chat/completions", body)), letters)
        for top in (TOP, 5):
            body = {"prompt": prompt, "max_tokens": 1, "logprobs": top, "temperature": 0}
            with contextlib.suppress(Refused):
                return letter_levels(first_choice(ask("/completions", body)), letters)
        raise Refused("the likeliest tokens are not listed")

    def write(self, prompts: Sequence[str], most: int, schema: dict[str, object] | None = None) -> list[str]:
        """What it writes."""
        self.ready()
        return self.each(lambda prompt: self.written(prompt, most, schema, self.ask), prompts)

    def written(self, prompt: str, most: int, schema: dict[str, object] | None, ask: Callable[..., Any]) -> str:
        """What it writes after one prompt, in the form of a JSON schema where the server knows that."""
        if not self.chats():
            return str(
                first_choice(ask("/completions", {"prompt": prompt, "max_tokens": most, "temperature": 0})).get("text")
                or ""
            )
        body: dict[str, Any] = {"messages": [{"role": "user", "content": prompt}], "max_tokens": most, "temperature": 0}
        if schema is not None and self._schema:
            form = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
            try:
                return content_of(ask("/chat/completions", {**body, "response_format": form}))
            except Refused:
                self._schema = False
        return content_of(ask("/chat/completions", body))

    def chats(self) -> bool:
        """Has the server a chat endpoint? Its own template is used then."""
        if self._chats is None:
            body = {"messages": [{"role": "user", "content": "Say yes."}], "max_tokens": 1, "temperature": 0}
            try:
                first_choice(self.ask("/chat/completions", body, keep=False))
                self._chats, self.chat = True, "server"
            except Refused:
                self._chats = False
        return self._chats


def content_of(answer: Any) -> str:
    """The text of a chat's answer."""
    message = first_choice(answer).get("message")
    return str(message.get("content") or "") if isinstance(message, dict) else ""
