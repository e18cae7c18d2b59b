#!/usr/bin/env python3
"""Measures Parley on this machine's GPU, and ends by itself: python3 run.py [--out DIR] [--minutes 8]

A kit of `make gpu-kit` is unpacked, and this script started in it. It needs python3, and for a kit of CUDA the driver
and cuBLAS; nothing is fetched. What it does, in this order, each with its share of the time:

  machine   the card, its driver, memory and libraries
  doctor    the embedded model on the card, with a question that it has to answer
  bits      the same debates on the CPU and on the card, 1, 8 and 64 at once: which replies and log-probabilities are
            equal, how far the others are apart, and whether a recorded run is repeated
  model     a synthetic model of the shape --shape, written here
  limits    llama-bench's pp512 and tg128
  batched   llama-batched-bench, with prompts of their own and with one in common
  w1 w2 w4  small debate workloads in turns with llama-server, as an expert runs it
  full      W1 at full size, alone, with the tokens that a joule gives

results.json and page.md in DIR have all that was measured, and are written after each stage: when the time is over, or
a stage fails, what is there stays. The exit code is 0 if every stage was measured, else 1. --cpu tries the kit without
a GPU.
"""
import argparse
import csv
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
STAGES = ["machine", "doctor", "bits", "model", "limits", "batched", "w1", "w2", "w4", "full"]
WIDTHS = [1, 8, 64]


class Failed(Exception):
    """A stage that could not be measured, and why."""


class Kit:
    def __init__(self, options):
        self.options = options
        self.deadline = time.monotonic() + 60 * options.minutes
        self.out = os.path.abspath(options.out)
        with open(os.path.join(HERE, "kit.json")) as f:
            self.kit = json.load(f)
        self.results = {"kit": self.kit, "stages": {}}
        self.environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(self.out, "cache"))
        self.where = ["--gpu-layers", "0" if options.cpu else "-1"]
        if options.device:
            self.where += ["--device", options.device]
        self.model = None

    # What stages use.

    def left(self):
        return self.deadline - time.monotonic()

    def program(self, name):
        path = os.path.join(HERE, name)
        if not os.access(path, os.X_OK):
            raise Failed(f"{name} is not in this kit")
        return path

    def run(self, *command, most=120, codes=(0,)):
        """What a program prints. It gets so many seconds, or those that are left."""
        seconds = min(most, self.left())
        if seconds <= 1:
            raise Failed("no time is left")
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.out,
                                   env=self.environment, start_new_session=True)
        try:
            printed, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise Failed(f"{os.path.basename(command[0])} took more than {seconds:.0f} s") from None
        finally:
            kill(process)
        if process.returncode not in codes:
            said = (errors.strip() or printed.strip())[-1500:]
            raise Failed(f"{os.path.basename(command[0])} {command[1]} ended with {process.returncode}: {said}")
        return printed

    def parley(self, *arguments, **how):
        return self.run(self.program("parley"), *arguments, **how)

    # Stages. Each returns what it measured.

    def machine(self):
        found = {"processor": processor(), "threads": os.cpu_count(), "libc": " ".join(os.confstr("CS_GNU_LIBC_VERSION")
                 .split()), "disk_free_bytes": shutil.disk_usage(self.out).free}
        if self.kit["gpu"] == "cuda" and not self.options.cpu:
            found |= self.card()
            self.find_libraries(found)
        return found

    def card(self):
        smi = shutil.which("nvidia-smi")
        if not smi:
            raise Failed("no nvidia-smi: the driver of an NVIDIA card is not installed here")
        fields = ["name", "driver_version", "memory.total", "memory.free", "power.limit", "compute_cap"]
        lines = self.run(smi, "--query-gpu=" + ",".join(fields), "--format=csv,noheader,nounits").strip().splitlines()
        if not lines:
            raise Failed("nvidia-smi lists no card")
        cards = [dict(zip(fields, (value.strip() for value in line.split(",")))) for line in lines]
        needed, have = self.kit.get("driver", "0"), cards[0]["driver_version"]
        if [int(n) for n in re.findall(r"\d+", have)[:2]] < [int(n) for n in re.findall(r"\d+", needed)[:2]]:
            raise Failed(f"driver {have} is older than {needed}, which CUDA {self.kit['cuda']} needs")
        built = self.kit.get("architectures", "")
        if built and cards[0]["compute_cap"].replace(".", "") not in built.split(";"):
            raise Failed(f"{cards[0]['name']} has compute capability {cards[0]['compute_cap']}, and this kit was built "
                         f"for {built}")
        return {"cards": cards}

    def find_libraries(self, found):
        """Adds the directories of CUDA's libraries, wherever they are, to the search path."""
        known = [HERE, "/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib", "/usr/local/nvidia/lib64"]
        cached = self.run("/sbin/ldconfig", "-p") if os.path.exists("/sbin/ldconfig") else ""
        for name in self.kit.get("libraries", []):
            if name in cached:
                continue
            where = next((d for d in known if os.path.exists(os.path.join(d, name))), None)
            where = where or search(name, ["/usr/local", "/opt", "/usr/lib", os.path.expanduser("~")])
            if not where:
                raise Failed(f"{name} is not on this machine: install the CUDA toolkit {self.kit['cuda']}, or "
                             "pip's nvidia-cublas")
            paths = self.environment.get("LD_LIBRARY_PATH", "").split(":")
            if where not in paths:
                self.environment["LD_LIBRARY_PATH"] = ":".join([where, *filter(None, paths)])
            found.setdefault("libraries", {})[name] = where

    def doctor(self):
        lines = [json.loads(line) for line in self.parley("doctor", "--json", *self.where, codes=(0, 1)).splitlines()]
        failed = [f"{line['check']}: {line['detail']}" for line in lines if line["verdict"] == "failed"]
        if failed:
            raise Failed("; ".join(failed))
        return {check: [line["detail"] for line in lines if line["check"] == check]
                for check in ("build", "backends", "device", "load", "self-test")}

    def bits(self):
        runs = {"cpu": self.debates("cpu", "--gpu-layers", "0")}
        for width in WIDTHS:
            runs[f"{width} at once"] = self.debates(f"width-{width}", "-p", str(width), *self.where)
        runs["again"] = self.debates("again", "-p", str(WIDTHS[-1]), *self.where)
        compared = {f"{name} and the CPU": compare(runs[name], runs["cpu"]) for name in runs if "at once" in name}
        first, *others, last = [f"{width} at once" for width in WIDTHS]
        for name in [*others, last]:
            compared[f"{name} and {first}"] = compare(runs[name], runs[first])
        compared[f"{last}, twice"] = compare(runs["again"], runs[last])
        replayed = {"equal": 0, "different": 0}
        for key in list(runs[first])[:4]:
            said = self.parley("replay", os.path.join(self.out, "width-1"), key, "-p", "1", codes=(0, 1))
            replayed["different" if "differs" in said else "equal"] += 1
        return {"compared": compared, "replayed": replayed}

    def debates(self, name, *flags):
        """The generations of a small comparison, by their keys."""
        directory = os.path.join(self.out, name)
        self.parley("compare", "--generated", "8", "--conditions", "vote,mad", "--out", directory, *flags)
        self.parley("export", directory, "--out", directory)
        with open(directory + ".replies.csv", newline="") as f:
            # before the hyphen: what was asked; after it: what computed the reply
            return {row["key"].split("-")[0]: row for row in csv.DictReader(f)}

    def synthesise(self):
        o = self.options
        path = os.path.join(self.out, f"{o.shape}-{o.quantization}.gguf")
        arguments = ["models", "synth", "--shape", o.shape, "--quantization", o.quantization, "--out", path]
        if o.layers:
            arguments += ["--layers", str(o.layers)]
        started = time.monotonic()
        if not os.path.exists(path):
            try:
                self.parley(*arguments, most=150)
            except Failed:
                if os.path.exists(path):
                    os.remove(path)
                raise
        self.model = path
        return {"shape": o.shape, "quantization": o.quantization, "layers": o.layers or "all",
                "bytes": os.path.getsize(path), "seconds": round(time.monotonic() - started, 1)}

    def needs_model(self):
        if not self.model:
            raise Failed("there is no model to measure")
        return self.model

    def limits(self):
        model, few = self.needs_model(), self.options.dry
        rows = json.loads(self.run(self.program("llama-bench"), "-m", model, *self.peer_flags(), "-o", "json",
                                   "-r", "3", "-p", "32" if few else "512", "-n", "8" if few else "128"))
        return {("pp" if row["n_prompt"] else "tg") + str(row["n_prompt"] or row["n_gen"]):
                {"tokens_second": row["avg_ts"], "deviation": row["stddev_ts"]} for row in rows}

    def batched(self):
        model, few = self.needs_model(), self.options.dry
        sizes = ["-c", "1024", "-npp", "16", "-ntg", "4", "-npl", "1,2"] if few else [
            "-c", "65536", "-npp", "250", "-ntg", "64", "-npl", "1,8,32,64,128"]
        found = {}
        for name, flags in (("own prompts", []), ("one prompt", ["-pps", "-kvu"])):
            printed = self.run(self.program("llama-batched-bench"), "-m", model, *self.peer_flags(), "-b", "2048",
                               "-ub", "512", "--output-format", "jsonl", *sizes, *flags)
            found[name] = [{k: row[k] for k in ("pp", "tg", "pl", "speed_pp", "speed_tg")}
                           for row in map(json.loads, filter(lambda l: l.startswith("{"), printed.splitlines()))]
        return found

    def peer_flags(self):
        return ["-ngl", "0" if self.options.cpu else "999", "-fa", "1"]

    def workload(self, name, *, full, repeats, peer=True):
        """A workload of parley bench, in turns with llama-server where the kit has it."""
        model = self.needs_model()
        out = os.path.join(self.out, f"bench-{name}" + ("" if peer else "-alone"))
        arguments = ["bench", *([] if full else ["--small"]), "--repeats", str(repeats), "--model", model, *self.where,
                     "--out", out, name]
        server = None
        if peer and os.path.exists(os.path.join(HERE, "llama-server")):
            server, url, flags = self.serve(model)
            arguments += ["--peer", url, "--peer-expert", "--peer-flags", flags]
        try:
            self.parley(*arguments, most=200)
        finally:
            if server:
                kill(server)
        with open(os.path.join(out, "report.json")) as f:
            report = json.load(f)
        return {"plan": report["results"][0]["plan"], **summary(report["results"][0])}

    def serve(self, model):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        slots, cells = ("4", "2048") if self.options.dry else ("64", "65536")
        flags = ["-ngl", "0" if self.options.cpu else "999", "-fa", "on", "-c", cells, "-np", slots, "-kvu",
                 "--cache-ram", "0"]
        log = open(os.path.join(self.out, "llama-server.log"), "a")
        server = subprocess.Popen([self.program("llama-server"), "-m", model, "--port", str(port), *flags], stdout=log,
                                  stderr=log, env=self.environment, start_new_session=True)
        url = f"http://127.0.0.1:{port}"
        until = min(self.deadline, time.monotonic() + 60)
        while time.monotonic() < until and server.poll() is None:
            try:
                urllib.request.urlopen(url + "/health", timeout=1).close()
                return server, url, "llama-server " + " ".join(flags)
            except OSError:
                time.sleep(0.2)
        kill(server)
        raise Failed(f"llama-server did not start: see {log.name}")

    # All of it.

    def measure(self):
        small = self.options.dry
        work = {
            "machine": self.machine, "doctor": self.doctor, "bits": self.bits, "model": self.synthesise,
            "limits": self.limits, "batched": self.batched,
            **{name: lambda name=name: self.workload(name, full=False, repeats=1 if small else 3)
               for name in ("w1", "w2", "w4")},
            "full": lambda: self.workload("w1", full=not small, repeats=1, peer=False),
        }
        for name in self.options.stages or STAGES:
            started = time.monotonic()
            power = Power(self.kit["gpu"] == "cuda" and not self.options.cpu)
            try:
                if self.left() <= 1:
                    raise Failed("no time is left")
                stage = {"result": work[name]()}
            except Failed as why:
                stage = {"failed": str(why)}
            except Exception as why:  # what nobody foresaw does not cost what was measured
                stage = {"failed": f"{type(why).__name__}: {why}"}
            stage["seconds"] = round(time.monotonic() - started, 1)
            stage |= power.stop()
            self.results["stages"][name] = stage
            self.save()
            print(f"{name:8} {stage['seconds']:6.1f} s  {stage.get('failed', 'ok')}", flush=True)
            if name == "machine" and "failed" in stage:
                break
        return all("result" in self.results["stages"].get(name, {}) for name in self.options.stages or STAGES)

    def save(self):
        for name, text in (("results.json", json.dumps(self.results, indent=1) + "\n"),
                           ("page.md", page(self.results))):
            path = os.path.join(self.out, name)
            with open(path + ".new", "w") as f:
                f.write(text)
            os.replace(path + ".new", path)


class Power:
    """Samples the card's power and memory while a stage runs."""

    def __init__(self, on):
        self.samples, self.process, self.started = [], None, time.monotonic()
        smi = shutil.which("nvidia-smi") if on else None
        if smi:
            self.process = subprocess.Popen([smi, "--query-gpu=power.draw,memory.used,utilization.gpu",
                                             "--format=csv,noheader,nounits", "-lms", "250"], stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True, start_new_session=True)
            self.reader = threading.Thread(target=self.read, daemon=True)
            self.reader.start()

    def read(self):
        for line in self.process.stdout:
            try:
                self.samples.append([float(value) for value in line.split(",")])
            except ValueError:
                pass  # a card that does not say

    def stop(self):
        if not self.process:
            return {}
        kill(self.process)
        self.reader.join(2)
        if not self.samples:
            return {}
        power, memory, busy = zip(*self.samples)
        return {"watts_mean": round(statistics.mean(power), 1), "watts_most": max(power),
                "memory_most_mib": max(memory), "busy_mean_percent": round(statistics.mean(busy), 1),
                "samples": len(power)}


def kill(process):
    """Ends a program and what it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def search(name, roots):
    for root in roots:
        for directory, directories, files in os.walk(root):
            if name in files:
                return directory
            if directory.count(os.sep) > 12:
                directories.clear()
    return None


def processor():
    try:
        with open("/proc/cpuinfo") as f:
            return re.search(r"model name\s*:\s*(.*)", f.read()).group(1)
    except (OSError, AttributeError):
        return "unknown"


def compare(these, those):
    """How two runs' replies to the same prompts differ. Prompts that follow another reply have another key."""
    common = [key for key in these if key in those]
    same = [key for key in common if these[key]["text"] == those[key]["text"]]
    gaps = [abs(float(these[key]["logprob"]) - float(those[key]["logprob"])) / max(1, int(these[key]["tokens"]))
            for key in same]
    return {"replies": len(these), "same_prompt": len(common), "same_text": len(same),
            "same_bits": sum(gap == 0 for gap in gaps), "most_gap_a_token": max(gaps, default=None)}


def summary(measured):
    """The rates of a measurement of parley bench, in delivered tokens a second."""
    def rates(runs):
        return sorted(run["tokens_delivered"] / (run["wall_ns"] / 1e9) for run in runs)
    ours, peer = rates(measured["ours"]), rates(measured.get("peer") or [])
    pairs = sorted(a["tokens_delivered"] / a["wall_ns"] / (b["tokens_delivered"] / b["wall_ns"])
                   for a, b in zip(measured["ours"], measured.get("peer") or []))
    found = {"tokens_second": statistics.median(ours), "runs": ours, "sizes": measured["sizes"],
             "asked": measured["ours"][0]["prompt_tokens_asked"],
             "computed": measured["ours"][0]["prompt_tokens_computed"], "last": measured["ours"][-1]}
    if peer:
        found |= {"peer_tokens_second": statistics.median(peer), "peer_runs": peer,
                  "ratio": statistics.median(pairs), "ratios": pairs}
    return found


def page(results):
    """What a person reads."""
    kit, stages = results["kit"], results["stages"]
    got = {name: stage["result"] for name, stage in stages.items() if "result" in stage}
    lines = ["# Parley on a GPU" if kit["gpu"] else "# Parley's kit on a CPU", "",
             f"Parley {kit['version']}, llama.cpp {kit['llama_cpp']}" +
             (f", CUDA {kit['cuda']} for {kit['architectures']}" if kit["gpu"] == "cuda" else ""), ""]
    machine = got.get("machine", {})
    for card in machine.get("cards", []):
        lines.append(f"{card['name']}, {card['memory.total']} MiB, driver {card['driver_version']}, limit "
                     f"{card['power.limit']} W")
    if machine:
        lines += [f"{machine['processor']}, {machine['threads']} threads", ""]
    lines += ["| stage | seconds | outcome | watts | memory MiB |", "| --- | ---: | --- | ---: | ---: |"]
    for name, stage in stages.items():
        outcome = stage.get("failed", "measured").replace("|", "/").replace("\n", " ")
        lines.append(f"| {name} | {stage['seconds']} | {outcome} | {stage.get('watts_mean', '')} | "
                     f"{stage.get('memory_most_mib', '')} |")
    if "bits" in got:
        lines += ["", "| replies of | same prompt | same text | same bits | largest gap of log-probability, a token |",
                  "| --- | ---: | ---: | ---: | ---: |"]
        for name, c in got["bits"]["compared"].items():
            gap = "" if c["most_gap_a_token"] is None else f"{c['most_gap_a_token']:.2g}"
            lines.append(f"| {name} | {c['same_prompt']} of {c['replies']} | {c['same_text']} | {c['same_bits']} | "
                         f"{gap} |")
        lines += ["", "Replayed from the journal, equal to the bit: {equal}; different: {different}.".format(
            **got["bits"]["replayed"])]
    if "model" in got:
        m = got["model"]
        lines += ["", f"Synthetic weights of the shape {m['shape']} ({m['quantization']}, layers: {m['layers']}, "
                  f"{m['bytes'] / 1e9:.1f} GB)."]
    if "limits" in got:
        lines += ["", "| llama-bench | tokens/s |", "| --- | ---: |"]
        lines += [f"| {k} | {v['tokens_second']:.0f} ± {v['deviation']:.0f} |" for k, v in got["limits"].items()]
    if "batched" in got:
        lines += ["", "| llama-batched-bench | sequences | prompt tokens/s | generated tokens/s |",
                  "| --- | ---: | ---: | ---: |"]
        lines += [f"| {name} | {b['pl']} | {b['speed_pp']:.0f} | {b['speed_tg']:.0f} |"
                  for name, rows in got["batched"].items() for b in rows]
    measured = [(name, got[name]) for name in ("w1", "w2", "w4") if name in got]
    if measured:
        lines += ["", "| workload | prompt tokens | computed | tokens/s | llama-server | ratio |",
                  "| --- | ---: | ---: | ---: | ---: | ---: |"]
        for name, w in measured:
            peer = f"{w['peer_tokens_second']:.0f} | {w['ratio']:.2f}" if "ratio" in w else " | "
            lines.append(f"| {name} | {w['asked']} | {w['computed']} | {w['tokens_second']:.0f} | {peer} |")
    if "full" in got:
        rate, watts = got["full"]["tokens_second"], stages["full"].get("watts_mean")
        lines += ["", f"W1 at full size, alone: {rate:.0f} tokens/s" + (
            f"; {watts} W on average, loading included: about {rate / watts:.1f} tokens a joule." if watts else ".")]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description="Measures Parley on this machine's GPU, and ends by itself.")
    parser.add_argument("--out", default="gpu-results", help="directory for results.json and page.md")
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--shape", default="qwen2.5-7b", help="of parley models synth")
    parser.add_argument("--quantization", default="q4_k_m")
    parser.add_argument("--layers", type=int, default=0, help="of the model; all without")
    parser.add_argument("--device", default="", help="a name that parley doctor prints")
    parser.add_argument("--cpu", action="store_true", help="compute on the CPU, to try the kit")
    parser.add_argument("--dry", action="store_true", help="the smallest sizes, to try the kit")
    parser.add_argument("--stages", nargs="+", choices=STAGES)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    kit = Kit(options)
    done = kit.measure()
    print(f"see {os.path.join(options.out, 'page.md')}")
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main())
