"""A real llama.cpp server (xllamacpp) on the loopback."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def start_llama_server(path: Path, exact: bool = False) -> Any:
    """Serve a file; ``exact``: no flash attention and a cache of 32 bits, so that it rounds as little as it can. It ends when it is dropped."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    parameters.n_ctx, parameters.n_parallel, parameters.warmup, parameters.verbosity = 4096, 2, False, 0
    if exact:
        parameters.cache_type_k = parameters.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
        parameters.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    return xllamacpp.Server(parameters)
