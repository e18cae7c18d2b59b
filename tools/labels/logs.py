#!/usr/bin/env python3
"""Lays out the labelled replies that are not stored in this repository, for the tests that read them:

    tools/labels/logs.py --out LOGS \\
        --checkout openai/grade-school-math=DIR --checkout gauss5930/LLM-Agora=DIR \\
        --checkout TIGER-AI-Lab/MMLU-Pro=DIR --checkout suzgunmirac/BIG-Bench-Hard=DIR \
        --checkout Skytliang/Multi-Agents-Debate=DIR --checkout kojima-takeshi188/zero_shot_cot=DIR
    PARLEY_LOGS=LOGS go test ./bench/task -run Labels -v

The repositories of larger models' replies are those that labels-large*.jsonl name. DIR is a
git repository that has the commit that the labels name, with or without a work tree. A repository that is
not given is left out, and so are its replies. Replies that were generated with generate.py or compare.sh but repeat
questions that may not be stored are found in the files that --generated names, and so are the questions themselves.

Each reply becomes a file with its text and the options of its question, named by the SHA-256 of the label's id. A text
with another hash than the label's is refused. Of a text with the prompt before the reply, a label says what the reply
stands "behind"; of a question that stands in another document, with its options, which it is "asked_in".
"""
import argparse
import collections
import csv
import functools
import glob
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import zipfile

csv.field_size_limit(1 << 30)
HERE = os.path.dirname(os.path.abspath(__file__))
LABELS = os.path.join(HERE, "..", "..", "debate", "answer", "testdata", "labels-*.jsonl")


@functools.lru_cache(maxsize=4)
def document(checkout, commit, path):
    """The JSON document at a path of a commit. A path goes on into a zip file; rows of JSON lines or CSV are a list, as
    are the questions of a log of zero_shot_cot, with what the model said behind "Let's think step by step."."""
    outer, inner = re.fullmatch(r"(.*?\.zip)/(.*)|(.*)", path).group(1, 2)
    data = subprocess.run(["git", "-C", checkout, "show", f"{commit}:{outer or path}"], check=True,
                          capture_output=True).stdout
    if inner:
        data = zipfile.ZipFile(io.BytesIO(data)).read(inner)
    text = data.decode("utf-8")
    if path.endswith(".log"):
        said = re.compile(r"Q: (.*?)\nA: Let's think step by step\.(.*?)\npred_before : ", re.S)
        found = [said.match(part) for part in re.split(r"(?m)^\d+st data\n1_th_sampling\n", text)[1:]]
        return [m and {"question": m[1], "reply": m[2]} for m in found]
    if path.endswith(".csv"):
        return list(csv.DictReader(io.StringIO(text, newline="")))
    if path.endswith(".jsonl"):
        return [json.loads(line) for line in text.split("\n") if line]
    return json.loads(text)


def parts(value, index):
    """The values on the way to a place such as 3/solution. A * makes an object the list of its keys and values: where
    questions are keys, they are not to stand in a place."""
    for name in index.split("/"):
        value = list(value.items()) if name == "*" else value[int(name) if isinstance(value, (list, tuple)) else name]
        yield value


def listed(text):
    """The options of a text such as (A) one (B) two."""
    return [o.strip() for o in re.split(r"\([A-G]\) ", text)[1:]]


def options(rows):
    """The options of a question as its log has them."""
    row = next((r for r in rows if isinstance(r, dict)), {})
    if "options" in row:
        return [o for o in row["options"] if o != "N/A"]
    found = re.search(r": A\) (.*), B\) (.*), C\) (.*), D\) (.*?) Explain your answer", row.get("question", ""), re.S)
    if found:
        return list(found.groups())
    choices = row.get("question", "").partition("Answer Choices:")[2]
    if choices:
        return listed(choices)
    asked = row.get("input", "").strip().split("\n\n")[-1]
    return [line[4:] for line in asked.split("\n") if line.startswith("(")]


def choices(log, at):
    """The options that stand at a place of their own, or at several."""
    if isinstance(at, list):
        return [list(parts(log, place))[-1] for place in at]
    offered = list(parts(log, at))[-1] if at else []
    if isinstance(offered, str):
        return listed(offered)
    return list(offered.values()) if isinstance(offered, dict) else offered


def question(rows):
    """The question of a reply in a log, where one has it beside the reply."""
    row = next((r for r in rows if isinstance(r, dict)), {})
    return row.get("question") or row.get("source") or ""


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--out", required=True)
    p.add_argument("--checkout", action="append", default=[], metavar="OWNER/NAME=DIR")
    p.add_argument("--generated", action="append", default=[], metavar="FILE")
    p.add_argument("--labels", action="append", default=[], metavar="FILE")
    a = p.parse_args()
    checkouts = dict(c.split("=", 1) for c in a.checkout)
    generated = {}
    for name in a.generated:
        with open(name, encoding="utf-8", newline="") as f:
            for row in csv.DictReader(f) if name.endswith(".csv") else map(json.loads, f):
                row["reply"] = row["text"] if name.endswith(".csv") else row["reply"]
                generated[hashlib.sha256(row["reply"].encode()).hexdigest()] = row
    os.makedirs(a.out, exist_ok=True)
    wrote = collections.Counter()
    for name in a.labels or sorted(glob.glob(LABELS)):
        with open(name, encoding="utf-8") as f:
            rows = [json.loads(line) for line in f]
        for row in rows:
            if "sha256" not in row and "reply" not in row:
                continue  # a label of another rater, beside the first one's
            want = row.get("sha256") or hashlib.sha256(row["reply"].encode()).hexdigest()
            if "repo" in row and row["repo"] in checkouts:
                log = document(checkouts[row["repo"]], row["commit"], row["path"])
                way = list(parts(log, row["index"]))
                reply = way[-1]
                if "behind" in row:
                    reply = reply.partition(row["behind"])[2]
                if "asked_at" in row:
                    if "asked_in" in row:
                        log = document(checkouts[row["repo"]], row["commit"], row["asked_in"])
                    offered = choices(log, row.get("offered_at"))
                else:
                    offered = options(way)
            elif want in generated:
                reply, offered = generated[want]["reply"], row.get("options", [])
            else:
                continue
            if hashlib.sha256(reply.encode()).hexdigest() != want:
                sys.exit(f"{row['id']}: {row['path']} at {row['index']} is not the reply that was labelled")
            if "asked_at" in row:
                asked = list(parts(log, row["asked_at"]))[-1]
            else:
                asked = question(way) if "repo" in row else generated[want].get("asked", "")
            place = hashlib.sha256(row["id"].encode()).hexdigest() + ".json"
            with open(os.path.join(a.out, place), "w", encoding="utf-8") as f:
                json.dump({"reply": reply, "options": offered if row["kind"] in ("choice", "name") else [],
                           "asked": asked}, f)
            wrote[row.get("repo", "generated")] += 1
    print(dict(wrote), file=sys.stderr)


if __name__ == "__main__":
    main()
