#!/usr/bin/env python3
"""Guards the speed beside llama.cpp: PEER=DIRECTORY tools/bench-guard.py [--record] [ROW...]

Measures the rows of the table of docs/performance.md whose names contain a ROW, all without one, and compares the
ratios with those that docs/speed.json has for this kind of processor. Ends with 1 where a ratio fell by 10 % or more.
--record writes what was measured in the place of what was recorded; the tables of docs/performance.md follow from it
(UPDATE=1 go test -run TestSpeedInPerformance .).

PEER is the directory of llama-server, llama-bench and llama-batched-bench. A row is measured in turns, PAIRS times (3):
ours, then the peer. Its ratio is the median of pairs, more is better for us. Synthetic models are written to
build/speed once, 3 GiB in all without those of 7B and more; real ones come by tools/real-models.sh. What is measured:

  W0 to W4 expert, user   tokens a second of `parley bench --small` and of llama-server, a new one for each row
  W0 batched              the same 64 prompts in llama-batched-bench
  prefill                 prompts of 512 tokens, and llama-bench -p 512
  single                  a single reply, and llama-bench -n 128
  ik                      these three beside the programs of ik_llama.cpp in IK=DIRECTORY, with -rtr (weights repacked)
  released                W1 of a program built for x86-64-v3, RELEASED=PROGRAM, and of this one

The machine should be idle: the load is recorded with the ratio.
"""
import datetime
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import time

PARLEY = os.environ.get("PARLEY", "bin/parley")
PAIRS = int(os.environ.get("PAIRS", "3"))
THREADS = str(os.cpu_count())
RECORD = "docs/speed.json"
LOSS = 0.9  # of the recorded ratio

SMALL = "0.5B Q4_0"  # a shape and a type of weights
REAL = {"SmolLM2 135M Q4_1": "smollm2-135m-instruct.q4_1.gguf", "Gemma 3 270M Q4_K_M": "gemma3-270m.q4_k_m.gguf"}
SHAPES = {"0.5B": ["qwen2.5-0.5b"], "3B": ["qwen2.5-3b"], "7B": ["qwen2.5-7b"],
          "7B in 7 layers": ["qwen2.5-7b", "--layers", "7"], "14B in 12 layers": ["qwen2.5-14b", "--layers", "12"],
          "30B-A3B in 8 layers": ["qwen3-30b-a3b", "--layers", "8"], "hybrid": ["half-hybrid"]}
WORKLOADS = ["w0", "w1", "w2", "w3-exact", "w3-shared", "w4"]


def rows():
    """Names of rows: a model, what it does, and what it is compared with."""
    for model in [SMALL, *REAL]:
        yield from ((model, workload, "expert") for workload in WORKLOADS)
        yield from ((model, "w0", "batched"), (model, "prefill", ""), (model, "single", ""))
    yield from ((SMALL, workload, "user") for workload in ("w2", "w3-exact", "w4"))
    yield SMALL, "w1", "released"
    yield from ((SMALL, workload, "ik") for workload in ("w0", "prefill", "single"))
    for quantization in "Q8_0", "Q4_K_M", "Q6_K", "IQ4_XS", "MXFP4":
        yield f"0.5B {quantization}", "w1", "expert"
    for quantization in "Q4_K_M", "Q8_0", "F16":
        yield f"0.5B {quantization}", "single", ""
    yield "7B Q4_K_M", "w1", "expert"
    yield from (("7B in 7 layers Q4_K_M", workload, "expert") for workload in ("w1", "w2", "w3-exact", "w4"))
    yield from ((f"7B {quantization}", "single", "") for quantization in ("Q4_0", "Q4_K_M", "Q8_0"))
    yield from ((model, "single", "ik") for model in ("0.5B Q4_K_M", "0.5B Q8_0", "7B Q4_K_M"))
    yield from ((model, "w1", "expert") for model in ("3B Q4_K_M", "14B in 12 layers Q4_K_M", "hybrid Q4_0"))
    yield from (("30B-A3B in 8 layers Q4_0", workload, "expert") for workload in ("w1", "w3-exact"))


def file_of(model):
    """The model's file, which is made or brought if need be."""
    if model in REAL:
        where = subprocess.check_output(["tools/real-models.sh"], text=True).strip()
        return os.path.join(where, REAL[model])
    size, quantization = model.rsplit(" ", 1)
    path = f"build/speed/{model.replace(' ', '-')}.gguf"
    if not os.path.exists(path):
        os.makedirs("build/speed", exist_ok=True)
        wanted = {"MXFP4": "mxfp4_moe"}.get(quantization, quantization.lower())
        run(PARLEY, "models", "synth", "--shape", *SHAPES[size], "--quantization", wanted, "--out", path + ".new")
        os.rename(path + ".new", path)
    return path


def run(*command, errors=subprocess.PIPE, cwd=None):
    """What a command prints, with its standard error if that is STDOUT, and else only if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=cwd)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: {(done.stderr or done.stdout)[-2000:]}")
    return done.stdout


def peer(program, where="PEER"):
    """A program of llama.cpp or of ik_llama.cpp."""
    if where not in os.environ:
        sys.exit(f"{where}=DIRECTORY with {program} is missing")
    return os.path.abspath(os.path.join(os.environ[where], program))


def bench(file, workload, *more, program=PARLEY):
    """One result of parley bench."""
    return json.loads(run(program, "bench", "--small", "--json", "--model", file, "--threads", THREADS, *more,
                          workload))["results"][0]


def rate(usage):
    return usage["tokens_delivered"] / (usage["wall_ns"] / 1e9)


def beside_server(file, workload, kind):
    """Pairs of rates of a workload here and on a llama-server, and the share of the ceiling."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = str(s.getsockname()[1])
    places = ["-c", "32768", "-np", "32", "-kvu", "--cache-ram", "0"] if kind == "expert" else ["-c", "16384"]
    flags = ["-m", file, "-t", THREADS, *places]
    server = subprocess.Popen([peer("llama-server"), "--port", port, *flags], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        while subprocess.run(["curl", "-sf", f"http://127.0.0.1:{port}/health"], capture_output=True).returncode:
            if server.poll() is not None:
                sys.exit(f"llama-server {' '.join(flags)} ended with {server.returncode}")
            time.sleep(0.5)
        expert = ["--peer-expert", "--peer-in-flight", "16" if workload.startswith("w3") else "32"]
        result = bench(file, workload, "--repeats", str(PAIRS), "--peer", f"http://127.0.0.1:{port}",
                       "--peer-flags", " ".join(flags), *(expert if kind == "expert" else []))
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()
    ours = [rate(u) for u in result["ours"]]
    return list(zip(ours, map(rate, result["peer"]))), statistics.median(ours) / result["ceiling"]["tokens_second"]


def beside_batched(file, ik):
    """Pairs of rates of W0 here and in llama-batched-bench."""
    command = [peer("llama-batched-bench", "IK"), "-rtr"] if ik else [peer("llama-batched-bench")]
    for _ in range(PAIRS):
        ours = bench(file, "w0", "--repeats", "1")
        # That of ik_llama.cpp has its table on standard error, and leaves a log where it runs.
        printed = run(*command, "-m", os.path.abspath(file), "-t", THREADS, "-c", "16384", "-npp", "100", "-ntg", "50",
                      "-npl", "64", errors=subprocess.STDOUT, cwd="build")
        cells = [line for line in printed.splitlines() if line.startswith("|")][-1].split("|")
        yield rate(ours["ours"][0]), 64 * 50 / float(cells[9])  # T s, of prompts and replies


def beside_bench(file, workload, ik):
    """Pairs of rates of prefill or of a single reply here, after its first token, and in llama-bench."""
    command = [peer("llama-bench", "IK"), "-rtr", "1"] if ik else [peer("llama-bench")]
    tokens = ("-p", "512", "-n", "0") if workload == "prefill" else ("-p", "0", "-n", "128")
    for _ in range(PAIRS):
        ours = bench(file, workload, "--repeats", "3", "--speculate=false")["ours"]
        rates = [u["prompt_tokens_computed"] / (u["wall_ns"] / 1e9) if workload == "prefill"
                 else u["decode_tokens_per_second"] for u in ours]
        theirs = run(*command, "-m", file, "-t", THREADS, "-r", "3", "-o", "json", *tokens)
        yield statistics.median(rates), json.loads(theirs)[0]["avg_ts"]


def beside_native(file):
    """Pairs of rates of W1 in the released program and in this one."""
    if "RELEASED" not in os.environ:
        sys.exit("RELEASED=PROGRAM, built with make build ARCH=-march=x86-64-v3, is missing")
    for _ in range(PAIRS):
        released, here = (bench(file, "w1", "--repeats", "1", program=p) for p in (os.environ["RELEASED"], PARLEY))
        yield rate(released["ours"][0]), rate(here["ours"][0])


def measure(model, what, kind):
    """What is recorded of a row."""
    file, ceiling = file_of(model), None
    load = os.getloadavg()[0]
    if kind in ("expert", "user"):
        pairs, ceiling = beside_server(file, what, kind)
    else:
        ik = kind == "ik"
        pairs = list(beside_native(file) if kind == "released" else beside_batched(file, ik) if what == "w0"
                     else beside_bench(file, what, ik))
    return {"date": datetime.date.today().isoformat(), "program": run(PARLEY, "--version").strip(),
            "load": round(load, 1), "ours": [round(ours, 2) for ours, _ in pairs],
            "peer": [round(theirs, 2) for _, theirs in pairs], **({"of_ceiling": round(ceiling, 3)} if ceiling else {})}


def ratios(row):
    return sorted(ours / theirs for ours, theirs in zip(row["ours"], row["peer"]))


def words(row):
    of = ratios(row)
    return f"{statistics.median(of):.2f} ({of[0]:.2f} to {of[-1]:.2f}, n = {len(of)})" if len(of) > 1 else \
        f"{of[0]:.2f} (n = 1)"


def processor():
    """The kind of this machine: its processor, cores and the widest instructions that our kernels know."""
    info = dict(map(str.strip, line.split(":", 1)) for line in open("/proc/cpuinfo") if ":" in line)
    flags = info.get("flags", "").split()
    widest = next((name for flag, name in (("avx512_vnni", "AVX-512 VNNI"), ("avx_vnni", "AVX-VNNI"), ("avx2", "AVX2"))
                   if flag in flags), "no AVX2")
    return f"{info.get('model name', 'unknown')}, family {info.get('cpu family')}, model {info.get('model')}, " \
        f"{THREADS} cores, {widest}"


def main():
    flags, wanted = ([a for a in sys.argv[1:] if a.startswith("--") == f] for f in (True, False))
    if set(flags) - {"--record"}:
        sys.exit(__doc__.strip())
    kinds = json.load(open(RECORD)) if os.path.exists(RECORD) else {}
    recorded, lost = kinds.setdefault(processor(), {}), 0
    for parts in rows():
        name = ", ".join(filter(None, (parts[0], f"{parts[1]} {parts[2]}".strip())))
        if wanted and not any(w.lower() in name.lower() for w in wanted):
            continue
        row, before = measure(*parts), recorded.get(name)
        fell = before and statistics.median(ratios(row)) < LOSS * statistics.median(ratios(before))
        lost += bool(fell)
        print(f"{name}: {words(row)}" + (f", recorded {words(before)}" if before else "") +
              (": FELL" if fell else ""), flush=True)
        if "--record" in flags:
            recorded[name] = row
            with open(RECORD, "w") as f:
                json.dump(kinds, f, indent=1)
                f.write("\n")
    if not recorded:
        print(f"nothing is recorded for {processor()}: --record keeps what was measured")
    sys.exit(lost > 0)


main()
