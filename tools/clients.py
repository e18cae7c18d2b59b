#!/usr/bin/env python3
"""Runs the programs of examples/clients against `parley serve`, and checks what comes back:

    tools/clients.py                  all of them
    tools/clients.py openai du        these

Each gets an environment of its own from PyPI or npm, which the user's cache keeps. A client that cannot be had is
skipped with the reason; the exit code is 1 if another one fails. bin/parley is the program that serves."""
import csv
import glob
import hashlib
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EXAMPLES = os.path.join(ROOT, "examples", "clients")
PARLEY = os.path.join(ROOT, "bin", "parley")
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "parley", "clients")


class Skip(Exception):
    """A client that cannot be tried here."""


def call(*command, **options):
    """Runs a command that installs something, and gives up on the client if that fails."""
    try:
        subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900, **options)
    except (OSError, subprocess.SubprocessError) as error:
        said = (getattr(error, "output", None) or b"").decode(errors="replace").strip().splitlines()
        raise Skip(f"{command[0]}: {said[-1] if said else error}") from error


def environment(name):
    """The directory with a client's programs, installed if it is not there."""
    example = os.path.join(EXAMPLES, name)
    node = os.path.join(example, "package.json")
    lists = [path for path in (node, *requirements(name)) if os.path.exists(path)]
    wanted = "".join(open(path).read() for path in lists)
    key = hashlib.sha256((wanted + sys.version).encode()).hexdigest()[:12]
    path = os.path.join(CACHE, key)
    done = os.path.join(path, "installed")
    if not os.path.exists(done):
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        if os.path.exists(node):
            install_node(path, node)
        else:
            install_python(name, path)
        open(done, "w").close()
    return path


def requirements(name):
    """The files that list what a client needs, and what it is installed without the needs of."""
    directory = next(d for d in (os.path.join(EXAMPLES, name), os.path.join(ROOT, "tools", "clients", name))
                     if os.path.isdir(d))
    return [os.path.join(directory, file) for file in ("requirements.txt", "no-deps.txt")]


def install_python(name, path):
    call(sys.executable, "-m", "venv", path)
    pip = [os.path.join(path, "bin", "pip"), "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout",
           "60", "install", "--no-compile"]  # Python compiles what is imported, a small part
    all_, bare = requirements(name)
    call(*pip, "-r", all_)
    if os.path.exists(bare):
        call(*pip, "--no-deps", "--ignore-requires-python", "-r", bare)


def install_node(path, package):
    if not shutil.which("npm"):
        raise Skip("there is no npm")
    shutil.copy(package, path)
    call("npm", "install", "--no-audit", "--no-fund", "--fetch-retries=1", cwd=path)


class Server:
    """parley serve on a free port."""
    computed = "vllm:prompt_tokens_total"

    def __init__(self, *flags):
        self.process = subprocess.Popen([PARLEY, "serve", "--listen", "127.0.0.1:0", *flags], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            raise RuntimeError(f"parley serve {flags}: exit {self.process.wait()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def metric(self, name):
        with urllib.request.urlopen(self.url + "/metrics") as answer:
            return float(re.search(rf"^{re.escape(name)} (\S+)$", answer.read().decode(), re.M).group(1))


def start(name, server, out, prepare=None):
    """Starts a client's run.sh. It writes to out. prepare changes the copy of the example that is run."""
    path = environment(name)
    binaries = os.path.join(path, "node_modules", ".bin") if os.path.exists(os.path.join(path, "package.json")) else \
        os.path.join(path, "bin")
    e = dict(os.environ, PATH=binaries + os.pathsep + os.environ["PATH"], OPENAI_BASE_URL=server.url + "/v1",
             OPENAI_API_KEY="none", HF_HUB_OFFLINE="1", PROMPTFOO_CONFIG_DIR=tempfile.mkdtemp(dir=os.path.dirname(out)),
             PROMPTFOO_DISABLE_TELEMETRY="1", PROMPTFOO_DISABLE_UPDATE="1", LITELLM_LOCAL_MODEL_COST_MAP="True",
             no_proxy="127.0.0.1")
    copy = shutil.copytree(os.path.join(EXAMPLES, name), out + ".example")  # MALLM leaves a log where it runs
    if prepare:
        prepare(copy)
    with open(out + ".log", "w") as log:
        return subprocess.Popen(["./run.sh", out], cwd=copy, env=e, stdout=log, stderr=log,
                                start_new_session=True)


def run(name, server, out, prepare=None, timeout=300):
    """Runs a client to its end, or ends it after so many seconds."""
    client = start(name, server, out, prepare)
    try:
        code = client.wait(timeout)
    except subprocess.TimeoutExpired:
        os.killpg(client.pid, signal.SIGKILL)
        client.wait()
        raise
    if code != 0:
        raise AssertionError(f"{name}: exit {code}: " + open(out + ".log").read()[-3000:])


def twice(name, directory, read, *flags):
    """Runs a client against two servers; what it reads is the same."""
    for out in ("first", "second"):
        with Server(*flags) as server:
            run(name, server, os.path.join(directory, out + ".json"))
    first, second = (read(os.path.join(directory, out + ".json")) for out in ("first", "second"))
    assert first == second, f"{name}: two runs differ"
    return first


def resumed(name, directory, read):
    """Kills a client half-way, and its server; with the journal, a second run of both computes the rest alone."""
    with Server() as server:
        run(name, server, os.path.join(directory, "whole.json"))
        drawn = server.metric("vllm:generation_tokens_total")
    journal = ["--journal", os.path.join(directory, "replies")]
    with Server(*journal) as server:
        client = start(name, server, os.path.join(directory, "killed.json"))
        while server.metric("vllm:generation_tokens_total") < drawn / 2:
            assert client.poll() is None, f"{name} ended before it was killed"
            time.sleep(0.005)
        os.killpg(client.pid, signal.SIGKILL)
        client.wait()
    with Server(*journal) as server:
        run(name, server, os.path.join(directory, "resumed.json"))
        rest = server.metric("vllm:generation_tokens_total")
        restored = server.metric("parley:generations_restored_total")
    assert restored > 0 and rest < drawn * 0.6, f"{name}: {rest} of {drawn} tokens were drawn again"
    whole, again = (read(os.path.join(directory, out + ".json")) for out in ("whole", "resumed"))
    assert whole == again, f"{name}: the run that was resumed differs"
    return f"killed half-way: {restored:.0f} replies were restored, {rest:.0f} of {drawn:.0f} tokens drawn"


def real():
    """Flags for a model that people use, whose replies end by themselves and are about what was said."""
    found = subprocess.run([os.path.join(ROOT, "tools", "real-models.sh")], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
    if found.returncode != 0:
        raise Skip(found.stdout.strip())
    return "--model", os.path.join(found.stdout.strip(), "smollm2-135m-instruct.q4_1.gguf")


def lines(name, directory, *flags):
    """Runs a client that writes lines of text twice, on a real model, and returns them."""
    return twice(name, directory, lambda path: open(path).read(), *real(), *flags).splitlines()


def group(name):
    """A group chat: the question, and two rounds of three agents under their names."""
    def run_group(directory):
        said = [line.split(":")[0] for line in lines(name, directory) if re.match("(Ann|Bob|Eve|[Uu]ser):", line)]
        for agent in ("Ann", "Bob", "Eve"):
            assert said.count(agent) >= 1, (agent, said)
        return f"{len(said)} messages of {len(set(said))} speakers, equal twice"

    return run_group


def program(name, *flags):
    """A program that checks what it gets by itself."""
    return lambda directory: f"{len(lines(name, directory, *flags))} lines, equal twice"


def same_scores(path, theirs, *flags):
    """What parley stats reads of a client's own log is what the client reports of it."""
    done = subprocess.run([PARLEY, "stats", path, "--json", *flags], check=True, stdout=subprocess.PIPE)
    ours = [(c["n"], c["accuracy"]) for c in json.loads(done.stdout)["conditions"]]
    assert [n for n, _ in ours] == [n for n, _ in theirs], (path, ours, theirs)
    assert all(abs(a - b) < 1e-9 for (_, a), (_, b) in zip(ours, theirs)), (path, ours, theirs)


def openai(directory):
    text = twice("openai", directory, lambda path: open(path).read())
    return f"{len(text.splitlines())} lines, equal twice"


def du(directory):
    debates = twice("du", directory, lambda path: json.load(open(path)))
    return f"{len(debates)} debates, equal twice; " + resumed("du", directory, lambda path: json.load(open(path)))


def promptfoo(directory):
    def read(path):
        results = json.load(open(path))["results"]
        assert results["stats"]["errors"] == results["stats"]["failures"] == 0, results["stats"]
        same_scores(path, [(len(results["results"]), 1)], "--measure", "success")
        return [r["response"]["output"] for r in results["results"]]

    return f"{len(twice('promptfoo', directory, read))} outputs, equal twice"


def inspect(directory):
    def read(path):
        logs = [json.load(open(log)) for log in sorted(glob.glob(os.path.join(path, "*.json")))]
        assert len(logs) == 2 and all(log["status"] == "success" for log in logs), [log["status"] for log in logs]
        for one in sorted(glob.glob(os.path.join(path, "*.json"))):
            log = json.load(open(one))
            same_scores(one, [(len(log["samples"]), log["results"]["scores"][0]["metrics"]["accuracy"]["value"])])
        return [sample["output"]["choices"][0]["message"]["content"] for log in logs for sample in log["samples"]]

    replies = twice("inspect", directory, read)
    assert all(json.loads(reply)["sum"] is not None for reply in replies if reply.startswith("{"))
    return f"{len(replies)} replies, equal twice"


def provider(directory):
    """The wheel's provider of inspect_ai: neither the order nor the number of requests under way changes a reply, and
    epochs are draws of their own although the task has a seed."""
    scripts = os.path.join(environment("inspect"), "bin")
    call(sys.executable, os.path.join(ROOT, "tools", "wheel.py"), "--program", PARLEY, "--version", "v0.0.1", "--out",
         directory)
    call(os.path.join(scripts, "pip"), "--quiet", "install", "--no-index", "--force-reinstall",
         *glob.glob(directory + "/*.whl"))
    replies = []
    for connections in "1", "64":
        out = os.path.join(directory, connections)
        task = os.path.join(EXAMPLES, "inspect", "shelf.py") + "@shelf"
        subprocess.run([os.path.join(scripts, "inspect"), "eval", task, "--model", "parley/tiny", "--epochs", "8",
                        "--max-connections", connections, "--log-dir", out, "--log-format", "json",
                        "--display", "none"], check=True, timeout=300,
                       env=dict(os.environ, PATH=scripts + os.pathsep + os.environ["PATH"]))
        samples = json.load(open(glob.glob(out + "/*.json")[0]))["samples"]
        replies.append({(s["id"], s["epoch"]): s["output"]["choices"][0]["message"]["content"] for s in samples})
    first, second = replies
    assert len(first) == 32 and first == second, sum(first[k] != second[k] for k in first)
    distinct = len({(key[0], reply) for key, reply in first.items()})
    assert distinct > 4, "all epochs are the same"
    return f"{len(first)} replies of 8 epochs, {distinct} of them distinct, equal with 1 and 64 connections"


def quiet(*command, **options):
    """Runs a command that has to succeed, and returns what it says."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options).stdout


def a_run(directory):
    """A run of two conditions and two repeats, and its rows."""
    out = os.path.join(directory, "run")
    quiet(PARLEY, "compare", *real(), "--generated", "4", "--conditions", "single,mad", "--agents", "2",
          "--rounds", "2", "--repeats", "2", "--max-tokens", "100", "--out", out)
    return out, json.load(open(os.path.join(out, "result.json")))["conditions"]


def exported(directory):
    """A run that is exported as logs of inspect_ai: it reads them, and its own scorer gives our accuracies."""
    logs = os.path.join(directory, "logs", "run")
    os.makedirs(os.path.dirname(logs))
    run_, rows = a_run(directory)
    quiet(PARLEY, "export", run_, "--format", "inspect", "--out", logs)
    binaries = os.path.join(environment("inspect"), "bin")
    for row in rows:
        log = f"{logs}.{row['condition']}.eval"
        same_scores(log, [(row["n"], row["accuracy"])])
        scored = os.path.join(directory, "scored.eval")
        quiet(os.path.join(binaries, "inspect"), "score", log, "--scorer", "match", "--model", "none",
              "--action", "append", "--overwrite", "--output-file", scored, "--display", "none")
        dumped = json.loads(subprocess.run([os.path.join(binaries, "inspect"), "log", "dump", scored], check=True,
                                           stdout=subprocess.PIPE).stdout)
        theirs = {s["name"]: s["metrics"]["accuracy"]["value"] for s in dumped["results"]["scores"]}
        assert theirs["match"] == theirs["equal"] == row["accuracy"], (row["condition"], theirs, row["accuracy"])
        assert all("seed" in e["config"] for s in dumped["samples"] for e in s["events"] if e["event"] == "model")
    return ", ".join(f"{row['condition']} {row['accuracy']:.3f} of {row['n']}" for row in rows) + ", as we say"


def formats(directory):
    """A run in the other formats: the validators of Every Eval Ever, Croissant and RO-Crate accept them without an
    error, `datasets` reads as many rows as there are, and parley stats our accuracies."""
    run_, rows = a_run(directory)
    python = os.path.join(environment("formats"), "bin", "python")
    for format_ in ("every-eval-ever", "hub", "ro-crate"):
        quiet(PARLEY, "export", run_, "--format", format_, "--out", os.path.join(directory, format_))
    for path in glob.glob(os.path.join(directory, "every-eval-ever", "data", "*", "*", "*", "*.jsonl")):
        condition = json.loads(open(path).readline())["metadata"]["parley.condition"]
        same_scores(path, [(r["n"], r["accuracy"]) for r in rows if r["condition"] == condition])
    said = quiet(python, os.path.join(ROOT, "tools", "clients", "formats", "check.py"), cwd=directory,
                 env=dict(os.environ, HF_HUB_OFFLINE="1", HF_HOME=os.path.join(directory, "hf")))
    result = json.loads(said.decode().strip().splitlines()[-1])
    assert result["decisions"] == sum(r["n"] + r["failed"] for r in rows), result
    assert result["errors"] == [], result["errors"]
    return f"{result['records']} records, a data set of {result['decisions']} decisions, a crate: valid"


def discussions(path):
    """MALLM's output without what it draws at random, and without its times."""
    text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "id", open(path).read())
    list_ = json.loads(text)
    for d in list_:
        del d["clockSeconds"]
    return sorted(list_, key=lambda d: d["exampleId"])


def mallm(directory):
    n = len(twice("mallm", directory, discussions))
    assert n == 4, f"{n} of 4 discussions"
    return f"{n} discussions, equal twice; " + resumed("mallm", directory, discussions)


def lm_eval(directory):
    """Log-likelihoods with llama.cpp's kernels and with ours, and chats, whose replies are those that parley compare
    gets to the same questions; what parley stats reads of the logs is what lm-eval reports."""
    said, likelihoods = [], []
    for kernels in ("plain", "parley"):
        out = os.path.join(directory, kernels)
        with Server("--kernels", kernels) as server:
            run("lm-eval", server, out, timeout=900)
        samples = {}
        for files, metric in ("shelf_2*", "acc"), ("shelf_chat_2*", "exact_match"):
            path, = glob.glob(f"{out}/*/samples_{files}")
            samples[metric] = sorted(map(json.loads, open(path)), key=lambda s: s["doc_id"])
            scores = [s[metric] for s in samples[metric]]
            same_scores(path, [(len(scores), sum(scores) / len(scores))], "--measure", metric)
            said.append(f"--kernels {kernels}: {metric} {sum(scores):.0f} of {len(scores)}")
        likelihoods.append([float(r[0][0]) for s in samples["acc"] for r in s["resps"]])
        ours = os.path.join(directory, kernels + "-ours")
        quiet(PARLEY, "compare", "--task", os.path.join(EXAMPLES, "lm-eval", "shelf.jsonl"), "--kernels", kernels,
              "--prompts", "plain", "--conditions", "single", "--agents", "2", "--rounds", "1", "--temperature", "0",
              "--max-tokens", "60", "--out", ours)
        quiet(PARLEY, "export", ours, "--out", ours)
        rows = csv.DictReader(open(ours + ".replies.csv"))
        replies = [r["text"] for r in rows if r["condition"] == "single" and r["kind"] != "closing"]
        assert replies == [s["resps"][0][0] for s in samples["exact_match"]], f"{kernels}: parley compare's differ"
    worst = max(abs(a - b) for a, b in zip(*likelihoods))
    assert all(map(math.isfinite, likelihoods[0])) and worst < 0.1, worst
    return "; ".join(said) + f"; chats as in parley compare; log-likelihoods differ by at most {worst:.1e} an option"


# Functions are called where a chat template has a place for them.
QWEN = os.path.join(ROOT, "inference", "chat", "testdata", "templates", "Qwen-Qwen2.5-7B-Instruct.jinja")

CLIENTS = {"openai": openai, "du": du, "promptfoo": promptfoo, "inspect": inspect, "inspect-provider": provider,
           "inspect-exported": exported, "formats": formats, "lm-eval": lm_eval, "mallm": mallm,
           "autogen": group("autogen"), "ag2": group("ag2"), "langchain": program("langchain"),
           "litellm": program("litellm"), "llm": program("llm"),
           "agents": program("agents", "--chat-template", QWEN)}


def main(names):
    failed = False
    for name in names or CLIENTS:
        began = time.time()
        with tempfile.TemporaryDirectory() as directory:
            try:
                said = CLIENTS[name](directory)
            except Skip as reason:
                said = f"skipped: {reason}"
            except Exception as error:  # of any client: the others are still tried
                failed, said = True, f"FAILED: {type(error).__name__}: {error}"
        print(f"{name}: {said} ({time.time() - began:.0f} s)", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
