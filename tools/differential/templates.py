#!/usr/bin/env python3
"""Renders conversations with chat templates as transformers does, as expectations for inference/chat/golden_test.go.

    python3 -m venv venv && venv/bin/pip install transformers==5.23.0 jinja2==3.1.6
    venv/bin/python tools/differential/templates.py inference/chat/testdata/templates [DIRECTORY ...]

The templates are the files *.jinja of the output directory, and those of the other directories (a checkout of
llama.cpp has models/templates) that the table below names: they are rendered, but not copied.
"""

import datetime
import hashlib
import importlib.metadata
import json
import pathlib
import sys

from transformers.utils import chat_template_utils

# The tests and Parley have this day, on which Llama 3.1's template falls back.
TODAY = datetime.datetime(2024, 7, 26)


class Fixed(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return TODAY


chat_template_utils.datetime = Fixed

# File, bos, eos.
TEMPLATES = [
    ("Qwen-Qwen2.5-7B-Instruct", "", "<|im_end|>"),
    ("Qwen-Qwen3-0.6B", "", "<|im_end|>"),
    ("Qwen3.5-4B", "", "<|im_end|>"),
    ("Qwen-QwQ-32B", "", "<|im_end|>"),
    ("google-gemma-4-31B-it", "<bos>", "<turn|>"),
    ("mistralai-Mistral-Nemo-Instruct-2407", "<s>", "</s>"),
    ("mistralai-Ministral-3-14B-Reasoning-2512", "<s>", "</s>"),
    ("openai-gpt-oss-120b", "<|startoftext|>", "<|return|>"),
    ("microsoft-Phi-3.5-mini-instruct", "<s>", "<|endoftext|>"),
    ("microsoft-phi-4", "<|endoftext|>", "<|im_end|>"),
    ("deepseek-ai-DeepSeek-R1-Distill-Qwen-32B", "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>"),
    ("deepseek-ai-DeepSeek-V3.1", "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>"),
    ("deepseek-ai-DeepSeek-V3.2", "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>"),
    ("HuggingFaceTB-SmolLM3-3B", "", "<|im_end|>"),
    ("ibm-granite-granite-4.0", "<|end_of_text|>", "<|end_of_text|>"),
    ("llama-cpp-rwkv-world", "<|rwkv_tokenizer_end_of_text|>", "<|rwkv_tokenizer_end_of_text|>"),
    ("LFM2-8B-A1B", "<|startoftext|>", "<|im_end|>"),
    ("NVIDIA-Nemotron-Nano-v2", "<s>", "<SPECIAL_12>"),
    ("meta-llama-Llama-3.1-8B-Instruct", "<|begin_of_text|>", "<|eot_id|>"),
    ("meta-llama-Llama-3.2-3B-Instruct", "<|begin_of_text|>", "<|eot_id|>"),
    ("meta-llama-Llama-3.3-70B-Instruct", "<|begin_of_text|>", "<|eot_id|>"),
    ("google-gemma-2-2b-it", "<bos>", "<end_of_turn>"),
    ("ours-llama-3.1", "<|begin_of_text|>", "<|eot_id|>"),
    ("ours-gemma-3", "<bos>", "<end_of_turn>"),
    ("ours-phi-4", "<|endoftext|>", "<|im_end|>"),
]


def turns(*texts):
    roles = {"s": "system", "u": "user", "a": "assistant"}
    return [{"role": roles[t[0]], "content": t[2:]} for t in texts]


ODD = "u: \n  Ünïcode “quotes” 'x' \"y\" & <b> {{ x }} {% y %} \\n 数学 🙂\t\n\n"
CONVERSATIONS = {
    "question": turns("u:What is 2+2?"),
    "system": turns("s:Be brief.", "u:What is 2+2?"),
    "turns": turns("u:What is 2+2?", "a:4", "u:Are you sure?"),
    "system and turns": turns("s:Be brief.\nVery.", "u:What is 2+2?", "a:4", "u:Sure?", "a:Yes: 4.", "u:Once more."),
    "users in a row": turns("s:You are agent 1.", "u:What is 2+2?", "u:Agent 2 says: 5", "u:Your answer?"),
    "users in a row later": turns("u:What is 2+2?", "a:4", "u:Agent 2 says: 5", "u:Your answer?"),
    "odd text": turns("s: Be\n\nbrief.  ", ODD, "a:  ok \n", ODD),
    "empty system": turns("s:", "u:What is 2+2?"),
    "empty reply": turns("u:What is 2+2?", "a:", "u:Your answer?"),
    "late system": turns("u:What is 2+2?", "a:4", "s:Be brief.", "u:Sure?"),
    "reasoned": turns("u:What is 2+2?", "a:<think>\nTwo and two.\n</think>\n\nFour.", "u:Sure?"),
    "reasoned last": turns("u:What is 2+2?", "a:<think>\nTwo and two.\n</think>\n\nFour."),
    "channels": turns("u:What is 2+2?", "a:<|channel>thought\nTwo and two.<channel|>Four.", "u:Sure?"),
    "brackets": turns("u:What is 2+2?", "a:[THINK]Two and two.[/THINK]Four.", "u:Sure?"),
    "begun": turns("s:Be brief.", "u:What is 2+2?", "a:The answer is"),
    "begun, blank": turns("u:What is 2+2?", "a:The answer \n"),
    "replies in a row": turns("u:What is 2+2?", "a:4", "a:No: 5", "u:Sure?"),
    "reply first": turns("a:Hello.", "u:What is 2+2?"),
}


def cases():
    for name, messages in CONVERSATIONS.items():
        yield {"messages": name, "generation": True}
        if name in ("system", "turns", "system and turns"):
            yield {"messages": name}
            yield {"messages": name, "generation": True, "thinking": True}
            yield {"messages": name, "generation": True, "thinking": False}
        if messages[-1]["role"] == "assistant":
            yield {"messages": name}
            yield {"messages": name, "continued": True}


def render(template, bos, eos, case):
    options = {"bos_token": bos, "eos_token": eos}
    if "thinking" in case:
        options["enable_thinking"] = case["thinking"]
    try:
        texts, _ = chat_template_utils.render_jinja_template(
            [CONVERSATIONS[case["messages"]]],
            chat_template=template,
            add_generation_prompt=case.get("generation", False),
            continue_final_message=case.get("continued", False),
            **options,
        )
        return {"text": texts[0]}
    except Exception as e:  # what a template raises is part of how it behaves
        return {"error": str(e).splitlines()[0], "type": type(e).__name__}


def sources(out, directories):
    """The text of each template by its name, and whether it is copied."""
    found = {}
    for d in directories:
        for f in pathlib.Path(d).glob("*.jinja"):
            found[f.stem] = f.read_text(encoding="utf-8")
    for f in pathlib.Path(out).glob("*.jinja"):
        found[f.stem] = f.read_text(encoding="utf-8")
    return found


def main(out, *directories):
    found = sources(out, directories)
    versions = ", ".join(p + " " + importlib.metadata.version(p) for p in ("transformers", "jinja2"))
    head = {"source": versions, "today": TODAY.strftime("%Y-%m-%d"), "conversations": CONVERSATIONS}
    text = json.dumps(head, ensure_ascii=False, indent=1)
    pathlib.Path(out, "conversations.json").write_text(text + "\n", encoding="utf-8")
    for name, bos, eos in TEMPLATES:
        if name not in found:
            print(name, "is not there")
            continue
        lines = []
        for case in cases():
            lines.append(json.dumps(case | render(found[name], bos, eos, case), ensure_ascii=False))
        head = {
            "template": name,
            "sha256": hashlib.sha256(found[name].encode("utf-8")).hexdigest(),
            "bos": bos,
            "eos": eos,
        }
        body = json.dumps(head, ensure_ascii=False)[:-1] + ', "cases": [\n' + ",\n".join(lines) + "\n]}\n"
        pathlib.Path(out, name + ".json").write_text(body, encoding="utf-8")
        print(name, len(lines), "cases,", sum('"error":' in line for line in lines), "refused")


if __name__ == "__main__":
    main(*sys.argv[1:])
