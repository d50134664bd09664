"""A causal model of the library with random weights and a tokenizer learned from a few sentences: small, but real files in a folder."""

from __future__ import annotations

from pathlib import Path

SENTENCES = [
    "Mia planted a seed in a pot.", "She watered it every day.", "Then a green leaf came up.", "Tom lost his key at the beach.",
    "What happens next? A. She was glad. B. It rained. Answer with the letter alone. Answer:", "This is a story.",
]  # fmt: skip


def write_tiny_model(folder: Path, seed: int = 3) -> Path:
    """Write it."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=["<s>", "</s>"], initial_alphabet=alphabet)
    tokenizer.train_from_iterator(SENTENCES, trainer)
    torch.manual_seed(seed)
    size = tokenizer.get_vocab_size()
    config = LlamaConfig(
        vocab_size=size, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        max_position_embeddings=1024, bos_token_id=0, eos_token_id=1, tie_word_embeddings=True, initializer_range=0.4,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", pad_token="</s>"
    ).save_pretrained(folder)
    return folder
