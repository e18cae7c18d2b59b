#!/usr/bin/env python3
"""Measures what HTTP costs: tools/http-cost.py MODEL [WORKLOAD...]

Runs workloads of `parley bench`, w1 and w4 unless others are named, in this engine and over HTTP on `parley serve`, in
turns. Each pair has tokens of its own and a server of its own: a server that has run for a while has a full cache,
which also costs an engine in one process a little. Prints how much longer HTTP takes, as the median and range over
pairs. PAIRS sets their number, PARLEY the program.
"""
import json
import os
import signal
import statistics
import subprocess
import sys

PARLEY = os.environ.get("PARLEY", "bin/parley")
PAIRS = int(os.environ.get("PAIRS", "5"))
PARALLEL = "64"


def pair(model, workload, seed):
    """Seconds in one process and over HTTP."""
    server = subprocess.Popen([PARLEY, "serve", "--model", model, "--parallel", PARALLEL, "--prompt-tokens-details",
                               "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        url = server.stdout.readline().strip()  # printed when the model answers
        report = json.loads(subprocess.check_output(
            [PARLEY, "bench", "--small", "--repeats", "1", "--seed", str(seed), "--parallel", PARALLEL, "--json",
             "--model", model, "--peer", url, "--peer-flags", "parley serve", workload], stderr=subprocess.DEVNULL))
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()
    result = report["results"][0]
    return result["ours"][0]["wall_ns"] / 1e9, result["peer"][0]["wall_ns"] / 1e9


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__.strip())
    for workload in sys.argv[2:] or ["w1", "w4"]:
        times = [pair(sys.argv[1], workload, seed) for seed in range(1, PAIRS + 1)]
        for here, there in times:
            print(f"{workload}: {here:.2f} s in one process, {there:.2f} s over HTTP", flush=True)
        ratios = sorted(there / here for here, there in times)
        print(f"{workload}: HTTP takes {statistics.median(ratios):.3f} of the time "
              f"({ratios[0]:.3f} to {ratios[-1]:.3f}, {PAIRS} pairs)", flush=True)


main()
