#!/usr/bin/env python3
"""Simulates experiments of the MADC paper on up to 1,000 machines: tools/scale.py PARLEY DIRECTORY

The questions of the paper are not needed: short ones of ours stand in, on the embedded model. Of each task a fifth of
the paper's number is simulated, on a fifth of the machines. Prints the table of docs/scale.md, and leaves the forecasts
in DIRECTORY as JSON.
"""
import json
import pathlib
import subprocess
import sys

FIFTH = 5
MACHINES = 1000 // FIFTH
EXPERIMENTS = ["madc-table1", "madc-agents", "madc-rounds"]


def write_questions(directory):
    """Writes questions in the formats of BIG-Bench Hard and MATH. Every fifth one is long."""
    letters = "ABCDEFG"

    def puzzle(i):
        told = " Of the others nothing is known." * (8 if i % 5 == 0 else 1)
        options = "\n".join(f"({x}) {chr(97 + (i + k) % 26)}" for k, x in enumerate(letters))
        return {"input": f"Puzzle {i}. Who is last?{told}\nOptions:\n{options}", "target": f"({letters[i % 7]})"}

    for name in "logical_deduction_seven_objects", "geometric_shapes":
        text = json.dumps({"examples": [puzzle(i) for i in range(250 // FIFTH)]})
        (directory / f"{name}.json").write_text(text)
    with open(directory / "test.jsonl", "w") as out:
        for i in range(500 // FIFTH):
            told = " Show each step." * (8 if i % 5 == 0 else 1)
            row = {"problem": f"What is {i} plus {i % 7}?{told}", "solution": f"\\boxed{{{i + i % 7}}}",
                   "answer": str(i + i % 7)}
            out.write(json.dumps(row) + "\n")


def forecasts(parley, directory, name):
    """The forecasts of the tasks of an experiment."""
    kept = directory / f"{name}.jsonl"
    if not kept.exists():
        done = subprocess.run([parley, "run", name, "--data", str(directory), "--dry-run", "--machines", str(MACHINES),
                               "--calibrate", "10s", "--max-tokens", "16", "--json"], check=True,
                              stdout=subprocess.PIPE, text=True)
        kept.write_text(done.stdout)
    return [json.loads(line) for line in kept.read_text().splitlines()]


def on(forecast, n):
    """What a task takes on n machines: the times of its shards, and the prompt tokens computed."""
    fits = [m for m in forecast["machines"] if m["machines"] >= n] or forecast["machines"][-1:]
    return fits[0]["shard_ms"], fits[0]["prompt_computed"]


def together(tasks, n):
    """Sums tasks up as bench.Together does: the time of the slowest machine in seconds, and prompt tokens."""
    machines, first, computed = [0.0] * n, 0, 0
    for task in tasks:
        times, tokens = on(task, n)
        for i, took in enumerate(times):
            machines[(i + first if len(times) < n else i) % n] += took
        first += len(times) if len(times) < n else 0
        computed += tokens
    return max(machines) / 1000, computed


def main(parley, directory):
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    write_questions(directory)
    counts = [4, 16, 64, MACHINES]
    print("| experiment | questions |", " | ".join(f"{FIFTH * n:,}" for n in counts), "| prompt tokens |")
    print("| --- " * (len(counts) + 3) + "|")
    paper = []
    for name in EXPERIMENTS:
        tasks = forecasts(parley, directory, name)
        paper += tasks
        line(name, tasks, counts)
    line("all three", paper, counts)


def line(name, tasks, counts):
    """Prints a row: how many times as fast as one machine more are."""
    (one, few), (_, many) = together(tasks, 1), together(tasks, counts[-1])
    cells = [f"{FIFTH * one / together(tasks, n)[0]:.0f}" for n in counts]
    questions = FIFTH * sum(t["questions"] for t in tasks)
    print(f"| {name} | {questions:,} |", " | ".join(cells), f"| {100 * (many / few - 1):+.0f} % |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
