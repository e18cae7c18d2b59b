#!/usr/bin/env python3
"""What lm-eval's filters and math-verify read from replies that tools/labels/generate.py made:

    pip install --no-deps lm-eval==0.4.13 && pip install math-verify regex datasets
    tools/differential/readings.py replies.jsonl ... --out beside.jsonl
    PARLEY_BESIDE=beside.jsonl go test ./bench/task -run Beside -v

and from the labelled replies, with those that tools/labels/logs.py laid out in LOGS:

    tools/differential/readings.py debate/answer/testdata/labels-*.jsonl --logs LOGS \
        --labels debate/answer/testdata/labels-beside.json

and from those of larger models, of which few answer a task of lm-eval, by the filter for their kind of answer, behind
the end of their reasoning and without stop texts:

    tools/differential/readings.py debate/answer/testdata/labels-large*.jsonl --logs LOGS --by-kind \
        --labels debate/answer/testdata/labels-beside.json

What --labels names keeps the readings of other replies.

lm-eval ends a generation at the stop texts of its task, so replies are cut there first. Families that no task of it
generates answers for have the filter of the task that is nearest to them, see FILTERS.
"""
import argparse
import hashlib
import json
import os

from lm_eval.filters.extraction import MultiChoiceRegexFilter, RegexFilter
from math_verify import parse

UNTIL = {"mmlu": ["</s>", "Q:", "<|im_end|>"], "bbh": ["</s>", "Q:", "<|im_end|>"],
         "strategyqa": ["</s>", "Q:", "<|im_end|>"], "math500": ["Problem:"], "squad2": ["\n"], "open": ["\n"]}
ELSE = ["Question:", "</s>", "<|im_end|>"]  # of gsm8k and mmlu_pro


class Line:
    """What squadv2 takes: the text up to the line's end, which is its stop text."""

    def apply(self, replies, docs):
        return [[text.strip() or "[invalid]" for text in reply] for reply in replies]


class MathVerify:
    """The text that math-verify extracts, as minerva_math asks it to."""

    def __init__(self, seconds=None):
        self.seconds = seconds

    def apply(self, replies, docs):
        found = [parse(text, parsing_timeout=self.seconds) for reply in replies for text in reply]
        return [[next((str(x) for x in f if isinstance(x, str)), "[invalid]")] for f in found]


CHOICE = MultiChoiceRegexFilter(r"(\([A-Z]\))", group_select=-1, ignore_case=True, ignore_punctuation=True)
NUMBER = RegexFilter(r"(-?[$0-9.,]{2,})|(-?[0-9]+)", group_select=-1)
FILTERS = {
    "gsm8k": ("gsm8k flexible-extract", NUMBER),
    "ciar": ("gsm8k flexible-extract", NUMBER),
    "arithmetic": ("gsm8k flexible-extract", NUMBER),
    "mmlu": ("mmlu_flan_cot_zeroshot flexible-extract", CHOICE),
    "bbh": ("bbh_cot_zeroshot flexible-extract", CHOICE),
    "mmlu-pro": ("mmlu_pro custom-extract", RegexFilter(r"answer is \(?([ABCDEFGHIJ])\)?")),
    "strategyqa": ("bbh_cot_zeroshot_navigate flexible-extract",
                   RegexFilter(r"\b(Yes|No|yes|no)\b", group_select=-1)),
    "squad2": ("squadv2", Line()),
    "open": ("squadv2", Line()),
    "math500": ("math-verify", MathVerify()),
}
FILTERS.update({"svamp": FILTERS["gsm8k"], "multiarith": FILTERS["gsm8k"], "aqua": FILTERS["bbh"],
                "commonsenseqa": FILTERS["bbh"], "boolq": FILTERS["strategyqa"], "coin-flip": FILTERS["strategyqa"]})


BY_KIND = {"choice": FILTERS["bbh"], "number": FILTERS["gsm8k"], "quantity": FILTERS["gsm8k"],
           "math": ("math-verify", MathVerify(5)), "yes-no": FILTERS["strategyqa"]}


def read_by_kind(row):
    """The name of the filter for a row's kind of answer and what it reads behind the end of reasoning."""
    if row["kind"] not in BY_KIND:
        return None, None
    name, reader = BY_KIND[row["kind"]]
    text = row["reply"].split("</think>")[-1]
    found = reader.apply([[text]], [{"choices": row.get("options") or []}])[0][0]
    return name, None if found == "[invalid]" or not found else found


def read(row):
    """The name of a row's filter and what it reads; None if nothing."""
    kind, family = row["kind"], row["family"]
    if family not in FILTERS:
        return None, None
    name, reader = FILTERS[family]
    if family == "strategyqa" and kind == "choice":
        name, reader = FILTERS["bbh"]
    if family == "bbh" and kind == "yes-no":
        name, reader = FILTERS["strategyqa"]
    if family == "bbh" and kind == "number":
        name, reader = FILTERS["gsm8k"]
    text = row["reply"]
    # the prompt of squadv2 ends in "Answer:", so that the reply's first line is the answer
    text = text.lstrip() if UNTIL.get(family) == ["\n"] else text
    for stop in UNTIL.get(family, ELSE):
        text = text.split(stop)[0]
    found = reader.apply([[text]], [{"choices": row.get("options", [])}])[0][0]
    return name, None if found == "[invalid]" or not found else found


def rows(names, logs):
    """The rows of the files, with their replies."""
    for name in names:
        with open(name, encoding="utf-8") as f:
            for line in f:
                row = json.loads(line)
                row["id"] = row.get("name") or row["id"]
                if row["family"] == "strategyqa" and row.get("format") == "options":
                    row["kind"], row["options"] = "choice", ["Yes", "No"]
                place = os.path.join(logs, hashlib.sha256(row["id"].encode()).hexdigest() + ".json")
                if "reply" not in row and os.path.exists(place):
                    with open(place, encoding="utf-8") as f2:
                        row.update({k: v for k, v in json.load(f2).items() if v})
                if "reply" in row:
                    yield row


def main():
    p = argparse.ArgumentParser()
    p.add_argument("replies", nargs="+")
    p.add_argument("--logs", default="")
    p.add_argument("--by-kind", action="store_true")
    p.add_argument("--out", help="JSON lines for TestBeside")
    p.add_argument("--labels", help="JSON for TestLabels: what was read, by the id of the reply")
    a = p.parse_args()
    reads = read_by_kind if a.by_kind else read
    found = [dict(id=row["id"], family=row["family"], kind=row["kind"], options=row.get("options", []),
                  stop=row.get("stop", ""), reply=row["reply"], task=task, theirs=theirs)
             for row in rows(a.replies, a.logs) for task, theirs in [reads(row)] if task]
    if a.out:
        with open(a.out, "w", encoding="utf-8") as out:
            for row in found:
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
    if a.labels:
        # lines of text, as squadv2 takes them, may repeat what may not be stored here
        kept = {}
        if os.path.exists(a.labels):
            with open(a.labels, encoding="utf-8") as f:
                kept = json.load(f)
        kept |= {row["id"]: row["theirs"] for row in found if row["family"] != "squad2"}
        with open(a.labels, "w", encoding="utf-8") as out:
            json.dump(kept, out, ensure_ascii=False, indent=0, sort_keys=True)
            out.write("\n")


if __name__ == "__main__":
    main()
