"""Parley as a model provider of inspect_ai, which finds it when the wheel is installed:

    inspect eval task.py --model parley/qwen2.5-7b-instruct-q4_k_m.gguf -M context=16384 --epochs 8

It serves the model as long as inspect runs; -M passes flags of `parley serve`. With --model-base-url, or
PARLEY_BASE_URL, it asks a server that runs already. Beside inspect's plain provider of OpenAI's protocol,

  - up to 64 requests are under way at once, so that samples and epochs fill batches and share the prefix tree;
  - each request has a seed of its own, from the task's seed (0 if it has none), the sample's id, its epoch and how
    often the sample has asked the same. So replies depend neither on --max-connections nor on the order in which
    samples run, and epochs are independent draws also where the task has a seed.
"""

from __future__ import annotations

import atexit
import hashlib
import json
from collections import Counter
from typing import Any

from inspect_ai.model import GenerateConfig, modelapi
from inspect_ai.model._providers.openai_compatible import OpenAICompatibleAPI
from inspect_ai.model._providers.util import model_base_url
from inspect_ai.solver._task_state import sample_state

from parley_debate import Server


@modelapi(name="parley")
class Parley(OpenAICompatibleAPI):
    """inspect_ai's client of a server of ours."""

    def __init__(self, model_name: str, base_url: str | None = None, api_key: str | None = None,
                 config: GenerateConfig = GenerateConfig(), **flags: Any):
        self._server = None
        base_url = model_base_url(base_url, "PARLEY_BASE_URL")
        if not base_url:
            self._server = Server(model=model_name, **flags).__enter__()
            atexit.register(self._stop)
            base_url = self._server.base_url
        elif flags:
            raise ValueError(f"{', '.join(flags)}: the flags of a server that runs already are its own")
        self._asked: Counter[bytes] = Counter()
        super().__init__(model_name, base_url, api_key or "none", config, service="parley")

    def max_connections(self) -> int:
        return 64

    async def generate(self, input: Any, tools: Any, tool_choice: Any, config: GenerateConfig) -> Any:
        sample = sample_state()
        asked = json.dumps([str(sample.sample_id), sample.epoch] if sample else [], sort_keys=True)
        asked += json.dumps([message.model_dump(exclude={"id"}, mode="json") for message in input])
        key = hashlib.sha256(f"{config.seed or 0} {asked}".encode()).digest()
        number = self._asked[key]
        self._asked[key] += 1
        seed = int.from_bytes(hashlib.sha256(key + number.to_bytes(8, "big")).digest()[:4], "big")
        try:
            reply = await super().generate(input, tools, tool_choice, config.model_copy(update={"seed": seed}))
        except BaseException:
            self._asked[key] = number  # what is tried again gets the same seed
            raise
        if isinstance(reply, tuple) and isinstance(reply[0], Exception):
            self._asked[key] = number
        return reply

    def _stop(self) -> None:
        if self._server:
            self._server.__exit__()
            self._server = None

    async def aclose(self) -> None:
        await super().aclose()
        self._stop()
