#!/usr/bin/env python3
"""Renders conversations with tools as transformers does, as expectations for inference/chat/tools_test.go.

    venv/bin/python tools/differential/tools.py inference/chat/testdata/templates [DIRECTORY ...] \\
        >inference/chat/testdata/tools.json

The environment and the directories are those of templates.py."""
import hashlib
import importlib.metadata
import json
import sys

import templates
from transformers.utils import chat_template_utils

TOOLS = [
    {"type": "function", "function": {
        "name": "add", "description": "Adds <b>two</b> numbers & \"says\" 'so' – 数学 \u2028.\n",
        "parameters": {"type": "object", "required": ["b", "a"], "properties": {
            "b": {"type": "number", "minimum": 0.5, "maximum": 1e20, "default": 2.0},
            "a": {"type": "integer", "enum": [1, 2, -3], "nullable": True, "x": None, "y": {}, "z": []}}}}},
    {"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}},
]


def call(name, **arguments):
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is 2+2?"}]
CALLED = ASKED + [{"role": "assistant", "content": "", "tool_calls": [call("add", b=2, a=2.5)]},
                  {"role": "tool", "content": "4.5"}]
CONVERSATIONS = {
    "no system": (ASKED[1:], TOOLS),
    "system": (ASKED, TOOLS),
    "one tool": (ASKED, TOOLS[1:]),
    "called": (CALLED, TOOLS),
    "called and said": (CALLED + [{"role": "assistant", "content": "4.5"}, {"role": "user", "content": "Sure?"}],
                        TOOLS),
    "called without tools": (CALLED, None),
    "called twice at once": (ASKED + [
        {"role": "assistant", "content": "Well:",
         "tool_calls": [call("now"), call("add", a=1, b={"z": 1, "a": ["ü"]})]},
        {"role": "tool", "content": "12:00"}, {"role": "tool", "content": "{\"sum\": 2}"}], TOOLS),
}
TEMPLATES = [t for t in templates.TEMPLATES if t[0] in (
    "Qwen-Qwen2.5-7B-Instruct", "Qwen-Qwen3-0.6B", "Qwen-QwQ-32B", "meta-llama-Llama-3.1-8B-Instruct",
    "meta-llama-Llama-3.2-3B-Instruct", "meta-llama-Llama-3.3-70B-Instruct")]


def main(*directories):
    found = templates.sources(directories[0], directories[1:])
    cases = []
    for name, bos, eos in TEMPLATES:
        if name not in found:
            print(name, "is not there", file=sys.stderr)
            continue
        for what, (messages, tools) in CONVERSATIONS.items():
            case = {"template": name, "sha256": hashlib.sha256(found[name].encode()).hexdigest(), "bos": bos,
                    "eos": eos, "name": what, "messages": messages, "tools": tools}
            try:
                texts, _ = chat_template_utils.render_jinja_template(
                    [messages], tools=tools, chat_template=found[name], add_generation_prompt=True, bos_token=bos,
                    eos_token=eos)
                case["text"] = texts[0]
            except Exception as e:  # what a template raises is part of how it behaves
                case["error"] = str(e).splitlines()[0]
            cases.append(json.dumps(case, ensure_ascii=False))
    source = ", ".join(p + " " + importlib.metadata.version(p) for p in ("transformers", "jinja2"))
    print('{"source": ' + json.dumps(source) + ', "cases": [\n' + ",\n".join(cases) + "\n]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
