#!/usr/bin/env python3
"""Runs real clients against `parley serve` and against llama-server, and prints a table:

    tools/clients-beside.py --llama-server PROGRAM             MALLM, lm-eval and Du et al.'s loop
    tools/clients-beside.py --llama-server PROGRAM du mallm    these
    tools/clients-beside.py du                                 parley serve alone

Each client runs twice on each server, which is started anew each time, in turns. The table has the time of the client
in seconds, the prompt tokens that the server computed, its peak memory, and whether both runs wrote the same. MALLM
holds 20 discussions, lm-eval answers 200 questions of four choices, the loop debates 20 questions; --share 0.1 takes a
tenth of that. --model is a GGUF file, by default the embedded model. The servers have their usual settings, but that
llama-server shows its metrics and is asked for a whole context (--context) per reply."""
import argparse
import glob
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import clients

PEER = []  # command line of llama-server


class Llama:
    """llama-server on a free port."""
    computed = "llamacpp:prompt_tokens_total"

    def __init__(self, log):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen([*PEER, "--host", "127.0.0.1", "--port", str(port), "--metrics"],
                                        stdout=log, stderr=log)
        for _ in range(1200):
            if self.process.poll() is not None:
                raise RuntimeError(f"llama-server: exit {self.process.returncode}; see its log")
            try:
                urllib.request.urlopen(self.url + "/health").close()
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("llama-server is not ready after two minutes")

    __enter__, __exit__, metric = clients.Server.__enter__, clients.Server.__exit__, clients.Server.metric


def peak(process):
    """Peak memory of a process, in MiB."""
    return int(re.search(r"VmHWM:\s+(\d+) kB", open(f"/proc/{process.pid}/status").read()).group(1)) // 1024


def permutations(words, n, seed):
    """n different ordered choices of three of the words."""
    draw, seen = random.Random(seed), []
    while len(seen) < n:
        three = draw.sample(words, 3)
        if three not in seen:
            seen.append(three)
    return seen


def mallm(share):
    def prepare(directory):
        path = os.path.join(directory, "questions.json")
        shape = json.load(open(path))[0]
        fruits = ["plums", "kiwis", "apples", "peaches", "oranges", "mangoes", "pears", "limes"]
        json.dump([dict(shape, example_id=f"stand-{i}", inputs=[
            f"A fruit stand sells three fruits: {a}, {b} and {c}. The {a} are less expensive than the {b}. The {c} are "
            f"the most expensive. Which are the cheapest? Options: (A) {a} (B) {b} (C) {c}"])
            for i, (a, b, c) in enumerate(permutations(fruits, max(1, round(20 * share)), 1))], open(path, "w"))

    def read(out):
        found = clients.discussions(out)
        return f"{len(found)} discussions", found

    return prepare, read


def lm_eval(share):
    def prepare(directory):
        colours = ["green", "white", "blue", "gray", "red", "black", "orange", "brown"]
        with open(os.path.join(directory, "shelf.jsonl"), "w") as to:
            for i, three in enumerate(permutations(colours, max(1, round(200 * share)), 2)):
                a, b, c = three
                choices = [f"The {x} book is the leftmost" for x in three] + ["Two books are the leftmost"]
                to.write(json.dumps({"question": f"On a shelf, there are three books: a {a} book, a {b} book, and a "
                                     f"{c} book. The {c} book is to the left of the {b} book. The {b} book is the "
                                     f"second from the left.", "choices": choices, "answer": 2}) + "\n")
        path = os.path.join(directory, "run.sh")
        text = open(path).read().partition(" &&\n")
        assert "chat" in text[2]
        open(path, "w").write(text[0] + "\n")  # by log-likelihoods alone

    def read(out):
        samples = [json.loads(line) for line in open(glob.glob(out + "/*/samples_*.jsonl")[0])]
        return f"{len(samples)} questions", [s["resps"] for s in samples]

    return prepare, read


def du(share):
    def prepare(directory):
        path = os.path.join(directory, "run.sh")
        text = open(path).read()
        assert "debate.py" in text
        open(path, "w").write(text.replace("debate.py", f"debate.py {max(1, round(20 * share))}"))

    def read(out):
        debates = json.load(open(out))
        return f"{len(debates)} debates", debates

    return prepare, read


CLIENTS = {"mallm": mallm, "lm-eval": lm_eval, "du": du}


def one(name, server, out, share, timeout):
    """One run of a client: seconds, prompt tokens computed, MiB, what it did and what it wrote."""
    prepare, read = CLIENTS[name](share)
    counter = server.computed
    if name == "lm-eval" and isinstance(server, clients.Server):
        counter = "parley:rows_total"  # its prompts are scored, and a token is drawn after each
    before = server.metric(counter)
    began = time.time()
    clients.run(name, server, out, prepare, timeout)
    took = time.time() - began
    return (took, server.metric(counter) - before, peak(server.process), *read(out))


def row(name, kind, runs):
    seconds, computed, memory = ([f"{r[i]:,.{d}f}" for r in runs] for i, d in ((0, 1), (1, 0), (2, 0)))
    same = "yes" if all(r[4] == runs[0][4] for r in runs) else "no"
    return (f"| {name}, {runs[0][3]} | {kind} | {' and '.join(seconds)} | {' and '.join(computed)} | "
            f"{' and '.join(memory)} | {same} |")


def beside(name, kinds, options):
    """The lines of the table for one client."""
    runs, failed = {kind: [] for kind in kinds}, {}
    with tempfile.TemporaryDirectory() as directory:
        for turn in "first", "second":
            for kind, start in kinds.items():
                if kind in failed:
                    continue
                out = os.path.join(directory, f"{kind}-{turn}".replace(" ", "-"))
                if name != "lm-eval":  # whose output is a directory
                    out += ".json"
                try:
                    with open(out + ".server", "w") as log, start(log) as server:
                        runs[kind].append(one(name, server, out, options.share, options.timeout))
                except clients.Skip as reason:
                    return [f"| {name} | skipped: {reason} | | | | |"]
                except Exception as error:  # of one client on one server: the others are still tried
                    said = open(out + ".log").read() if os.path.exists(out + ".log") else ""
                    lines = re.findall(r"^\w*(?:Error|Exception|Timeout)\w*: .*", said, re.M) or [repr(error)]
                    failed[kind] = lines[-1][:200].replace("|", "/")
    return [row(name, kind, runs[kind]) if kind not in failed else f"| {name} | {kind} | failed: {failed[kind]} | | | |"
            for kind in kinds]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llama-server", metavar="PROGRAM")
    parser.add_argument("--model", metavar="FILE")
    parser.add_argument("--context", type=int, default=8192, help="cells of each server (8192)")
    parser.add_argument("--share", type=float, default=1, help="of the work (1)")
    parser.add_argument("--timeout", type=float, default=1800, help="seconds for a client's run (1800)")
    parser.add_argument("clients", nargs="*", metavar="CLIENT", help=", ".join(CLIENTS))
    options = parser.parse_args()
    if unknown := [name for name in options.clients if name not in CLIENTS]:
        parser.error(f"no client {unknown[0]}; there are {', '.join(CLIENTS)}")
    model = options.model or json.loads(subprocess.run(
        [clients.PARLEY, "models", "--json"], check=True, stdout=subprocess.PIPE).stdout.splitlines()[0])["path"]
    kinds = {"parley serve": lambda _: clients.Server("--model", model, "--context", str(options.context))}
    if options.llama_server:
        PEER.extend([options.llama_server, "--model", model, "--ctx-size", str(options.context)])
        kinds["llama-server"] = Llama
    print("| client | server | s | prompt tokens computed | peak memory, MiB | equal twice |")
    print("| --- | --- | --: | --: | --: | --- |")
    for name in options.clients or CLIENTS:
        print("\n".join(beside(name, kinds, options)), flush=True)


if __name__ == "__main__":
    sys.exit(main())
