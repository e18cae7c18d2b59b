#!/usr/bin/env python3
"""Writes docs/atlas.md: what papers and repositories print, and what their own public logs give when read again.

    tools/atlas.py SOURCES > docs/atlas.md

SOURCES has a clone of each repository below its own name; one that is missing is left out. All numbers but the printed
ones come from commands of `parley` (PARLEY names the program), which the page lists. No model runs."""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile

PARLEY = os.environ.get("PARLEY", "parley")
NUMBER, DIGITS, LETTER = r"\d+\.?\d*", r"\d+", r"([A-Za-z])\)"


def parley(*arguments):
    done = subprocess.run([PARLEY, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    if done.returncode != 0:
        sys.exit(f"parley {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def stats(rows, contrasts=(), *flags):
    """What parley stats makes of rows (question, system, score), or of rows with more columns: its conditions, and the
    differences that are asked for, by name."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "rows.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for row in rows:
                row = row if isinstance(row, dict) else dict(zip(("question", "system", "score"), row))
                file.write(json.dumps(row) + "\n")
        flags += tuple(flag for contrast in contrasts for flag in ("--contrast", contrast))
        read = json.loads(parley("stats", path, "--json", *flags))
    return {c["condition"]: c for c in read["conditions"]} | {c["contrast"]: c for c in read.get("contrasts", [])}


def imported(directory, name, files):
    """What parley import makes of Liang et al.'s logs: its summary, and the decisions that parley export writes."""
    run = os.path.join(directory, name)
    summary = json.loads(parley("import", "--from", "liang", *files, "--out", run, "--json"))
    parley("export", run, "--out", run)
    with open(run + ".decisions.csv", encoding="utf-8", newline="") as file:
        return summary, list(csv.DictReader(file))


def span(interval):
    between = "–" if interval["low"] >= 0 else " to "
    return f"{100 * interval['low']:.1f}{between}{100 * interval['high']:.1f}"


def share(condition):
    return f"{100 * condition['accuracy']:.1f} ({span(condition['interval'])})"


def change(paired):
    return f"{100 * paired['difference']:+.1f} ({span(paired['interval'])}), p {p(paired['p'])}"


def p(value):
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def table(head, rows):
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [head, ["---"] * len(head), *rows]) + "\n"


def any_pairing(first, second, n):
    """Exact McNemar's p of two numbers of right answers to the same n questions, for the pairings that favour a
    difference most and least: all that is known of accuracies without the answers."""
    def compared(both):
        rows = [(q, s, int(right)) for q in range(n) for s, right in (
            ("first", q < first), ("second", q < both or first <= q < first + second - both))]
        return stats(rows)["second"]["paired"]["p"]

    return compared(min(first, second)), compared(max(0, first + second - n))


def last(pattern, text):
    return (re.findall(pattern, text) or [None])[-1]


def agora_rule(task, answer, replies):
    """Whether LLM-Agora's evaluation counts a question: some model's last number or letter is the answer. Of MMLU, the
    question is lost if the last model's cannot be read; of GSM8K, a last number of 0 is not one."""
    if task == "MMLU":
        read = [last(LETTER, r) or last(NUMBER, r) for r in replies]
        return read[-1] is not None and answer in [r.upper() for r in read if r]
    read = [last(DIGITS, r) for r in replies]
    if task == "Math":
        return float(answer) in [float(r) for r in read if r]
    read = [r if r and float(r) else last(NUMBER, reply) for r, reply in zip(read, replies)]
    return float(answer) != 0 and float(answer) in [float(r) for r in read if r]


def agora(source, _):
    """LLM-Agora: three models, three responses to 100 questions of three tasks, without and with a chain of thought."""
    rounds, thought, echoes, seconds = [], [], 0, 0
    for task in "Math", "GSM8K", "MMLU":
        counted, read = [], []
        for kind, suffix in ("none", ""), ("CoT", "_cot"):
            stem = os.path.join(source, task, {"GSM8K": "gsm"}.get(task, task.lower()))
            with open(stem + f"_result{suffix}.json", encoding="utf-8") as file:
                log = json.load(file)
            with open(stem + f"_performance{suffix}.json", encoding="utf-8") as file:
                printed = [f"{100 * float(value):.0f}" for entry in json.load(file) for value in entry.values()]
            theirs = []
            for i, question in enumerate(log):
                answer = last(NUMBER, question["answer"]) if task == "GSM8K" else question["answer"]
                for turn, replies in enumerate(zip(*question["agent_response"].values())):
                    right = agora_rule(task, answer, replies)
                    theirs.append((i, f"{kind}-{turn + 1}", int(right)))
                    read += [{"question": question["question"], "system": f"{kind}-{turn + 1}", "score": 0,
                              "repeat": agent, "target": answer, "reply": reply} for agent, reply in enumerate(replies)]
                    if task == "MMLU" and turn == 1:
                        seconds += len(replies)
                        echoes += sum(reply.rstrip().endswith(":") for reply in replies)
            counted += theirs
            shares = [100 * sum(right for _, system, right in theirs if system == f"{kind}-{turn}") / len(log)
                      for turn in (1, 2, 3)]
            rounds.append([f"{task}, {kind}", ", ".join(printed), ", ".join(f"{s:.0f}" for s in shares)])
        pairs = ["none-3 - none-1", "CoT-3 - CoT-1", "CoT-3 - none-3"]
        counts, ours = stats(counted, pairs), stats(read, pairs, "--answer", "reader")
        for kind, pair, line in zip(("none", "CoT"), pairs, rounds[-2:]):
            line += [change(counts[pair]["paired"]), share(ours[f"{kind}-1"]), share(ours[f"{kind}-3"]),
                     change(ours[pair]["paired"])]
        thought.append([task, change(counts[pairs[2]]["paired"]), change(ours[pairs[2]]["paired"])])
    return f"""## LLM-Agora

Debates of three models of 13 billion parameters (gauss5930/LLM-Agora), {len(log)} questions a task. Its
README prints percent right for the first, second and third response, where a question counts if
*any* of the three models is right. `reader` reads each model's own answer: its accuracy is the mean
over the models.

{table(["task", "printed", "by their rule", "third − first", "first, `reader`", "third, `reader`", "third − first"],
       rounds)}
By their rule only arithmetic with a chain of thought changes beyond chance; a model's own answers,
which are rarely right, get better in arithmetic, and without that chain in the other two, before p
is adjusted for six rows. The printed 0 of MMLU's second response is no result: {echoes} of the {seconds}
recorded replies are the prompt itself, which ends where the reply would begin. *"The positive
effect of CoT"* after the debate, third response with it − without:

{table(["task", "by their rule", "`reader`"], thought)}
    parley stats rows.jsonl --answer reader --contrast "CoT-3 - CoT-1"    # a row for each reply
"""


HUMAN = [("GPT-4", "gpt4", 68.5), ("GPT-3.5-Turbo", "baseline", 62.5), ("+ Rerank", "rerank", 63.5),
         ("+ MAPS", "maps", 70.5), ("+ Self-Reflect", "self_reflect", 69.0), ("+ MAD", "mad", 79.5)]


def liang(source, directory):
    """Liang et al.: 200 translations by six systems, and the debates behind one of them."""
    data = os.path.join(source, "data", "CommonMT", "Lexical_Ambiguity")
    files = [path for path in (os.path.join(data, "MAD_Debate_Process", f"{i}.json") for i in range(200))
             if os.path.exists(path)]
    logs = [json.load(open(path, encoding="utf-8")) for path in files]
    summary, decided = imported(directory, "debates", files)
    rows = []
    for _, name, _ in HUMAN:
        with open(os.path.join(data, "output", name), encoding="utf-8") as file:
            texts = [line.strip() for line in file][:len(logs)]
        copies = [os.path.join(directory, f"{name}-{i:03}.json") for i in range(len(logs))]
        for path, log, text in zip(copies, logs, texts):
            with open(path, "w", encoding="utf-8") as file:
                json.dump({**log, "debate translation": text}, file)
        _, scored = imported(directory, name, copies)
        assert [d["decision"] for d in scored] == texts, name
        rows += [(i, name, int(d["score"] == "right")) for i, d in enumerate(scored)]
    same = sum(a["decision"].strip() == b for a, b in zip(decided, texts))
    read, n, lines = stats(rows, [f"mad - {name}" for _, name, _ in HUMAN[:-1]]), len(logs), []
    for shown, name, accuracy in HUMAN[:-1]:
        pairings = any_pairing(right_of(accuracy, n), right_of(HUMAN[-1][2], n), n)
        lines.append([shown, accuracy, " to ".join(map(p, pairings)), share(read[name]),
                      change(read[f"mad - {name}"]["paired"])])
    lines.append([HUMAN[-1][0], HUMAN[-1][2], "", share(read["mad"]), ""])
    early = sum(e["debates"] for e in summary["endings"] if "moderator" in e["rule"])
    affirmative, negative, both, neither = (summary["chosen"].get(side, 0) for side in (
        "affirmative", "negative", "tie", "neither"))
    return f"""## Liang et al.

{n} translations of ambiguous words (Skytliang/Multi-Agents-Debate, arXiv 2305.19118). Printed is
how many percent are right by people's judgement. Who judged which how is not in the repository, so
that p has a range: exact McNemar for the pairing that favours a difference most, and least. The
outputs are scored by a stand-in: nearer by chrF to the right reference than to the wrong one.

{table(["system", "printed", "p of MAD − it", "by chrF", "MAD − it by chrF"], lines)}
MAD beats GPT-3.5-Turbo, its reranking and self-reflection, and GPT-4, whatever the pairing, and by
the stand-in, too; whether it beats MAPS depends on the pairing.

Of {n} debates, {early} ended before the judge was asked. The decision is the last translation of the
affirmative side in {affirmative}, of the negative in {negative}, of both in {both}, of neither in {neither}.
{same} decisions are the published output.

    parley import --from liang MAD_Debate_Process/*.json --out mad
"""


def right_of(percent, n):
    return round(percent * n / 100)


PRINTED = [("Meta-Llama-3-70B", 52.78), ("Qwen1.5-72B-Chat", 52.64)]


def mmlu_pro(source, _):
    """MMLU-Pro: the recorded outputs of the models of its printed table that a clone of the repository has."""
    rows, unread, n = [], {}, 0
    for name, _ in PRINTED:
        with zipfile.ZipFile(os.path.join(source, "eval_results", f"model_outputs_{name}_5shots.zip")) as archive:
            log = [q for q in json.loads(archive.read(archive.namelist()[0])) if len(q["options"]) > 1]
        n, unread[name] = len(log), sum(q["pred"] is None for q in log)
        rows += [{"question": q["question_id"], "system": name, "score": int(q["pred"] == q["answer"]),
                  "target": q["answer"], "choices": q["options"], "reply": q["generated_text"]} for q in log]
    readings = [stats(rows), *(stats(rows, (), "--answer", rule) for rule in ("mmlu-pro", "reader"))]
    lines = [[name, printed, f"{unread[name]:,}", *(share(reading[name]) for reading in readings)]
             for name, printed in PRINTED]
    lines.append(["difference", f"{PRINTED[1][1] - PRINTED[0][1]:+.2f}", "",
                  *(change(reading[PRINTED[1][0]]["paired"]) for reading in readings)])
    return f"""## MMLU-Pro

Two models stand next to each other in the README of TIGER-AI-Lab/MMLU-Pro, and their replies to
{n:,} questions with options are in `eval_results`. An unread answer got a random letter there;
here it is wrong.

{table(["model", "printed", "unread", "as logged", "by rule `mmlu-pro`", "by `reader`"], lines)}
The order stands; the distance does not: by the recorded replies it is many times the printed one,
and the second model's printed accuracy is not that of its log. `reader` takes what a reply says
last: the second model often answers the examples' questions once more below its own answer, so that
its last column is too low.

    parley stats rows.jsonl --answer mmlu-pro    # with target, choices and reply
"""


# of Table 4: what a factor adds to the share of right roles, with its standard error
FACTORS = [("confidence shown", "conf", "+2.3 (1.7)"), ("order chosen", "order", "-3.5 (1.9)"),
           ("two passes", "depth", "+1.9 (1.5)"), ("a fourth agent", "num", "+6.6 (1.4)")]


def control(source, _):
    """Wu et al.: the share of right roles in each puzzle, under the anchor and with one factor changed. The files are
    of commit 989b76e: later ones removed them."""
    rows = []
    for name in ["default", *(name for _, name, _ in FACTORS)]:
        with open(os.path.join(source, "load_plot", f"results_{name}.json"), encoding="utf-8") as file:
            rows += [(f"{size}-{i}", name, score) for size, log in json.load(file).items()
                     for i, score in enumerate(log["smooth_accuracies"])]
    read = stats(rows, (), "--reference", "default")
    lines = [[shown, printed, change(read[f"{name} - default by score"]["paired"]), share(read[name])]
             for shown, name, printed in FACTORS]
    lines.insert(0, ["anchor", "", "", share(read["default"])])
    return f"""## Wu et al.

Knights, knaves and spies (haolun-wu/ControlMAD, arXiv 2511.07784). The debates are not public, but
commit 989b76e has their scores on {read["default"]["n"]} puzzles. Printed is what a factor adds to the share of
right roles, first answers held constant (Table 4, with standard errors).

{table(["factor", "printed", "right roles − anchor's", "all roles right"], lines)}
*"Debate depth, confidence visibility, and debate order remain insignificant"*, and agents add: in
these logs that holds of confidence alone. They are older than the paper, whose anchor is right less
often (Table 3); whether the program changed between them is not recorded.

    parley stats rows.jsonl --reference default    # a row for each puzzle and factor
"""


ATLAS = [("LLM-Agora", agora), ("Multi-Agents-Debate", liang), ("MMLU-Pro", mmlu_pro), ("ControlMAD", control)]


def main(sources):
    parts = []
    for name, section in ATLAS:
        if os.path.isdir(os.path.join(sources, name)):
            with tempfile.TemporaryDirectory() as directory:
                parts.append(section(os.path.join(sources, name), directory))
    print("""# Atlas

What is printed, and what the public logs behind it give when they are read again. Accuracies and
differences are in percent, with 95 % intervals over questions; p is paired and not adjusted. `make
atlas SOURCES=DIR` writes this page from clones of the repositories, with the commands below.
""")
    print("\n".join(parts), end="")
    print("""
## Not here

DebateLLM's notebook has 150 accuracies, without numbers of questions (whole sets, or more than 20)
or logs, and debate-or-vote's repository has its program alone: nothing of either can be tested.
""", end="")


if __name__ == "__main__":
    main(sys.argv[1])
