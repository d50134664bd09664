"""``hf:NAME_OR_FOLDER`` and ``gguf:FILE`` -> Scorer: a causal model in this process. Exact; extra `lm`.

A text is cut as prompt and continuation apart, as a server with a token grammar does, so that both give the same numbers. The model's
beginning-of-text piece stands before the prompt where its tokenizer says so, or where there is no prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scenarist.errors import BadInput, Missing, missing_extra
from scenarist.networks.addresses.base import Continuations, TextScore
from scenarist.networks.gguf import Gguf
from scenarist.networks.pretrained import load_library_model
from scenarist.store.home import digest

if TYPE_CHECKING:
    from scenarist.networks.llama import Llama

LOW = -1e4


class LocalModel:
    """What both kinds share: texts -> ids, and what is too long."""

    step, chat = "exact", ""
    """``chat`` is ``own`` where the model brings a chat template: letters and written answers are asked through it, likelihoods never."""
    most: int = 0
    """Tokens that fit; 0 where it is not known."""

    name: str
    identity: str

    def encode(self, text: str) -> list[int]:
        """The ids of a text."""
        raise NotImplementedError

    def trunk(self, prompt: str) -> list[int]:
        """The ids before a continuation."""
        raise NotImplementedError

    def chain_logps(self, trunk: list[int], texts: Sequence[list[int]]) -> list[float]:
        """ln P of each list of ids after the trunk."""
        raise NotImplementedError

    def next_levels(self, trunk: list[int]) -> Any:
        """ln P of every piece after the trunk."""
        raise NotImplementedError

    def continued(self, trunk: list[int], most: int) -> list[int]:
        """The likeliest pieces one after the other."""
        raise NotImplementedError

    def decode(self, ids: Sequence[int]) -> str:
        """The text of some ids."""
        raise NotImplementedError

    def asked(self, prompt: str) -> list[int]:
        """The ids of a question, through the model's own chat template where it has one."""
        return self.trunk(prompt)

    def fits(self, trunk: list[int], longest: int) -> list[int]:
        """The trunk, or that it is too long."""
        if self.most and len(trunk) + longest > self.most:
            raise BadInput(
                f"A text has {len(trunk) + longest} tokens, and {self.name} takes {self.most}. Ask fewer sentences or shots, or a model "
                "with a longer context."
            )
        return trunk

    def logps(self, asked: Sequence[Continuations]) -> list[list[TextScore]]:
        """ln P of every continuation."""
        out = []
        for entry in asked:
            texts = [self.encode(text) for text in entry.texts]
            trunk = self.fits(self.trunk(entry.prompt), max(map(len, texts)))
            values = self.chain_logps(trunk, texts)
            out.append([TextScore(value, len(text)) for value, text in zip(values, texts, strict=True)])
        return out

    def letters(self, prompts: Sequence[str], letters: Sequence[str]) -> list[list[float]]:
        """ln P of each letter as the next piece, with or without a space before it."""
        import torch

        forms = [
            [ids[0] for text in (letter, f" {letter}") if len(ids := self.encode(text)) == 1] for letter in letters
        ]
        out = []
        for prompt in prompts:
            levels = self.next_levels(self.fits(self.asked(prompt), 1))
            out.append([float(torch.logsumexp(levels[ids], 0)) if ids else LOW for ids in forms])
        return out

    def write(self, prompts: Sequence[str], most: int, schema: dict[str, object] | None = None) -> list[str]:
        """What it writes; a schema is not enforced here."""
        return [self.decode(self.continued(self.fits(self.asked(prompt), most), most)) for prompt in prompts]


class GgufModel(LocalModel):
    """A GGUF file of the llama family, read by us."""

    def __init__(self, target: str) -> None:
        path = Path(target).expanduser()
        if not path.is_file():
            raise Missing(f"There is no GGUF file at {target}. Expected gguf:FILE, e.g. gguf:smollm2-135m.gguf")
        self.path, self.name = path, path.name
        file = Gguf(path)
        meta = file.metadata
        kind = str(meta.get("general.architecture", "none"))
        if kind != "llama" or "output.weight" in file.names:
            what = f"the architecture {kind}" if kind != "llama" else "an output apart from its input"
            raise BadInput(
                f"{path}: read here are llamas whose output is tied to their input (SmolLM2), and this file has {what}. Serve it instead: "
                f"llama-server -m {path.name} --port 8080, and --model openai:http://localhost:8080/v1#NAME"
            )
        self.template = str(meta.get("tokenizer.chat_template") or "")
        self.chat = "own" if self.template else ""
        self.pieces = [
            str(meta.get("tokenizer.ggml.tokens", [""])[meta.get(f"tokenizer.ggml.{end}_token_id", 0)])
            for end in ("bos", "eos")
        ]
        self.begins = bool(meta.get("tokenizer.ggml.add_bos_token", False))
        self.most = int(meta.get("llama.context_length", 0))
        self.identity = digest(path)[:8]

    @property
    def net(self) -> Llama:
        """The network, read once."""
        return _llama(self.path)

    def encode(self, text: str) -> list[int]:
        """The ids of a text as it stands: no space is put before it, and its lines stay lines."""
        return list(self.net.tokenizer.encode(text, add_special_tokens=False).ids)

    def decode(self, ids: Sequence[int]) -> str:
        return str(self.net.tokenizer.decode(list(ids), skip_special_tokens=True))

    def trunk(self, prompt: str) -> list[int]:
        ids = self.encode(prompt)
        return [self.net.start, *ids] if self.begins or not ids else ids

    def asked(self, prompt: str) -> list[int]:
        return self.encode(chat_text(self.template, prompt, *self.pieces)) if self.template else self.trunk(prompt)

    def logps(self, asked: Sequence[Continuations]) -> list[list[TextScore]]:
        """ln P of every continuation, texts of like length together."""
        from scenarist.networks.llama import TextTree, all_cores

        cut = [(self.trunk(entry.prompt), [self.encode(text) for text in entry.texts]) for entry in asked]
        trees = [TextTree.grow(self.fits(trunk, max(map(len, texts))), texts) for trunk, texts in cut]
        with all_cores():
            rows = self.net.logps_of_trees(trees)
        return [
            [TextScore(float(row.sum()), len(text)) for row, text in zip(branches, texts, strict=True)]
            for branches, (_, texts) in zip(rows, cut, strict=True)
        ]

    def next_levels(self, trunk: list[int]) -> Any:
        import torch

        with torch.inference_mode():
            state = self.net.states(torch.tensor([trunk]))[:, -1]
            return torch.log_softmax(state.float() @ self.net.embedding.float().T, -1)[0]

    def continued(self, trunk: list[int], most: int) -> list[int]:
        return self.net.continued(trunk, most)


def chat_text(template: str, prompt: str, begin: str, end: str) -> str:
    """A question as a chat template writes it, up to where the answer begins."""
    try:
        from jinja2.sandbox import ImmutableSandboxedEnvironment
    except ModuleNotFoundError as error:
        raise missing_extra("jinja2", "lm", "A chat template") from error
    form = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True).from_string(template)
    messages = [{"role": "user", "content": prompt}]
    return form.render(messages=messages, add_generation_prompt=True, bos_token=begin, eos_token=end)


@lru_cache(maxsize=1)
def _llama(path: Path) -> Llama:
    from scenarist.networks.llama import Llama as Network

    try:
        return Network.read(path)
    except ModuleNotFoundError as error:
        raise missing_extra(error.name or "torch", "lm", "A GGUF file") from error


class LibraryScorer(LocalModel):
    """Any causal model of transformers, by its name on a hub or from a folder."""

    def __init__(self, target: str, device: str = "") -> None:
        self.target, self.name = target, target.rstrip("/").rpartition("/")[2]
        try:
            import torch
        except ModuleNotFoundError as error:
            raise missing_extra("torch", "lm", f"The model {target!r}") from error
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        if self.device.startswith("cuda") and not torch.cuda.is_available():
            raise BadInput(
                f"--device {self.device}: torch sees no graphics card here. Leave --device out, or type --device cpu."
            )
        self.base = load_library_model(target)
        self.base.model.to(self.device)
        config = self.base.model.config
        self.most = int(getattr(config, "max_position_embeddings", 0) or getattr(config, "n_positions", 0) or 0)
        ids = self.base.tokenizer.tokenizer("a").input_ids
        self.begins = bool(ids) and ids[0] == getattr(self.base.tokenizer.tokenizer, "bos_token_id", None)
        template = getattr(self.base.tokenizer.tokenizer, "chat_template", None)
        self.chat = "own" if template else ""
        self.identity = self._fingerprint()

    def _fingerprint(self) -> str:
        """Which weights these are: by what they say of the canary."""
        from scenarist.networks.addresses.base import CANARIES
        from scenarist.signature import content_hash

        scores = [round(score.logp, 2) for row in self.logps(CANARIES) for score in row]
        return content_hash([str(scores).encode()])

    def encode(self, text: str) -> list[int]:
        return list(self.base.tokenizer.encode(text))

    def decode(self, ids: Sequence[int]) -> str:
        return str(self.base.tokenizer.tokenizer.decode(ids, skip_special_tokens=True))

    def trunk(self, prompt: str) -> list[int]:
        ids = self.encode(prompt)
        return [self.base.start, *ids] if self.begins or not ids else ids

    def asked(self, prompt: str) -> list[int]:
        if not self.chat:
            return self.trunk(prompt)
        messages = [{"role": "user", "content": prompt}]
        tokenizer = self.base.tokenizer.tokenizer
        return list(tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=False))

    def chain_logps(self, trunk: list[int], texts: Sequence[list[int]]) -> list[float]:
        import torch

        rows = [[*trunk, *text] for text in texts]
        width = max(map(len, rows))
        ids = torch.zeros(len(rows), width, dtype=torch.long)
        seen = torch.zeros(len(rows), width, dtype=torch.long)
        for index, row in enumerate(rows):
            ids[index, : len(row)] = torch.tensor(row)
            seen[index, : len(row)] = 1
        with torch.inference_mode():
            logits = self.base.model(ids.to(self.device), attention_mask=seen.to(self.device)).logits  # (B, T, V)
            levels = torch.log_softmax(logits[:, len(trunk) - 1 : -1].float(), -1).cpu()
        return [
            float(levels[index, : len(text)].gather(-1, torch.tensor(text)[:, None]).sum())
            for index, text in enumerate(texts)
        ]

    def next_levels(self, trunk: list[int]) -> Any:
        import torch

        with torch.inference_mode():
            return torch.log_softmax(
                self.base.model(torch.tensor([trunk]).to(self.device)).logits[0, -1].float(), -1
            ).cpu()

    def continued(self, trunk: list[int], most: int) -> list[int]:
        import torch

        with torch.inference_mode():
            ids = torch.tensor([trunk]).to(self.device)
            out = self.base.model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=most,
                do_sample=False,
                pad_token_id=self.base.start,
            )
        return [int(token) for token in out[0, len(trunk) :]]
