#!/usr/bin/env python3
"""Runs real questions of five benchmarks on a real model, and checks what was asked, read and told.

    tools/real.py [PARLEY]        bin/parley by default

The model is SmolLM2-135M-Instruct, which tools/real-models.sh brings by pip. The questions are public files in the
directory that $PARLEY_DATA names, by default ../shared/data. Without one of the two, the script says so and exits with
0. The model is weak: nothing is asked of its accuracy. What is checked holds for every model: replies end by
themselves, what is read is an answer of the question's kind, and nothing else counts."""
import csv
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.environ.get("PARLEY_DATA") or os.path.join(ROOT, "..", "shared", "data")
LETTER, NUMBER, WORDS = r"\([A-J]\)", r"-?[0-9./]+", r".+"
# name, file, form of an answer
TASKS = [
    ("gsm8k", "gsm8k/test.jsonl", NUMBER),
    ("mmlu", "mmlu/test_sample_684.jsonl", LETTER),
    ("bbh", "bbh/logical_deduction_three_objects.json", LETTER),
    ("strategyqa", "strategyqa/bigbench-task.jsonl", LETTER),
    ("squad2", "squad2/dev_sample_400.jsonl", WORDS),
]
QUESTIONS, TOKENS = "8", "256"
PARSED = ("explicit", "fallback", "closing turn")


def model():
    """The path of the model, or None with a sentence on standard error."""
    found = subprocess.run(["sh", os.path.join(ROOT, "tools", "real-models.sh")], stdout=subprocess.PIPE, text=True)
    return os.path.join(found.stdout.strip(), "smollm2-135m-instruct.q4_1.gguf") if found.returncode == 0 else None


def rows(path):
    csv.field_size_limit(1 << 30)
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def examine(name, replies, form):
    """What is wrong with the replies of one task, and a line about them."""
    wrong = []
    how = {}
    replies = [r for r in replies if r["kind"] != "closing"]
    for r in replies:
        how[r["how"]] = how.get(r["how"], 0) + 1
        said = r["answer"].lstrip("'")
        if (r["parsed"] == "true") != (r["how"] in PARSED):
            wrong.append(f"{r['question']}: parsed {r['parsed']}, read as {r['how']!r}")
        if r["parsed"] == "true" and not re.fullmatch(form, said, re.S):
            wrong.append(f"{r['question']}: the answer {said!r} has not the form {form}")
        if r["how"] == "fallback" and r["stop"] in ("length", "looped"):
            wrong.append(f"{r['question']}: a reply that ends by {r['stop']} was read by a fallback")
        if "### Instruction" in r["text"]:
            wrong.append(f"{r['question']}: the reply goes on with a problem of its own")
    n = len(replies)
    read = sum(how.get(k, 0) for k in ("explicit", "closing turn"))
    if read < 0.8 * n:
        wrong.append(f"only {read} of {n} replies state an answer")
    counts = ", ".join(f"{k or 'unsaid'} {v}" for k, v in sorted(how.items(), key=lambda x: -x[1]))
    cut = sum(r["stop"] in ("length", "looped") for r in replies)
    tokens = sum(int(r["tokens"]) for r in replies)
    return wrong, f"{name}: {n} replies, {tokens} tokens, {cut} cut or looped; read: {counts}"


def main():
    parley = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "bin", "parley"))
    if not os.path.isdir(DATA):
        print(f"real: skipped: no questions in {DATA}; name a directory with PARLEY_DATA")
        return 0
    gguf = model()
    if gguf is None:
        print("real: skipped: the model could not be had")
        return 0
    failed = False
    with tempfile.TemporaryDirectory() as work:
        for name, file, form in TASKS:
            run = os.path.join(work, name)
            subprocess.run([parley, "compare", "--model", gguf, "--task", os.path.join(DATA, file), "-q", QUESTIONS,
                            "--conditions", "single,vote", "--max-tokens", TOKENS, "--out", run],
                           check=True, stdout=subprocess.DEVNULL)
            subprocess.run([parley, "export", run, "--out", run], check=True, stdout=subprocess.DEVNULL)
            wrong, line = examine(name, rows(run + ".replies.csv"), form)
            print(line, *wrong, sep="\n  ", flush=True)
            failed = failed or bool(wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
