#!/usr/bin/env python3
"""Measures how long clients of servers wait: tools/latency.py NAME=URL [NAME=URL...]

1, 8 and 64 clients each stream completions, one after the other, of texts that begin alike and end differently. Prints
the time to the first token and the time between tokens, in milliseconds, as medians and 99th percentiles over all
clients, for servers in turns. The servers need OpenAI's /v1/completions with ignore_eos, as parley serve, llama-server
and vLLM have it. TOKENS, REQUESTS and REPEATS set the length of a reply, the requests of a client, and the rounds.
"""
import http.client
import json
import os
import statistics
import sys
import threading
import time
import urllib.parse

TOKENS, REQUESTS, REPEATS = (int(os.environ.get(name, usual)) for name, usual in
                             (("TOKENS", 24), ("REQUESTS", 2), ("REPEATS", 3)))
COMMON = "Several agents debate a question and give reasons for what they think. " * 12


def stream(server, prompt, seed):
    """The times, from sending on, at which the parts of a reply came."""
    connection = http.client.HTTPConnection(server.hostname, server.port, timeout=600)
    body = {"prompt": prompt, "max_tokens": TOKENS, "ignore_eos": True, "stream": True, "seed": seed, "temperature": 1}
    began = time.perf_counter()
    connection.request("POST", "/v1/completions", json.dumps(body), {"Content-Type": "application/json"})
    response = connection.getresponse()
    if response.status != 200:
        raise RuntimeError(f"{server.geturl()}: {response.status} {response.read(300)}")
    times = []
    for line in response:
        if not line.startswith(b"data: {"):
            continue
        part = json.loads(line[6:])
        if "choices" not in part:
            raise RuntimeError(f"{server.geturl()}: {line[6:300]}")
        if part["choices"]:
            times.append(time.perf_counter() - began)
    connection.close()
    return times


def measure(server, clients, repeat):
    """Times to first tokens and between tokens of so many clients at once, in milliseconds."""
    first, between, errors = [], [], []

    def client(number):
        try:
            for i in range(REQUESTS):
                one = f"{COMMON}Round {repeat}, {clients} clients. Question {number}, version {i}:"
                times = stream(server, one, 1000 * number + i)
                first.append(1000 * times[0])
                between.extend(1000 * (b - a) for a, b in zip(times, times[1:]))
        except Exception as e:  # of a thread: it is raised below
            errors.append(e)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if errors:
        raise errors[0]
    return first, between


def quantile(values, q):
    if len(values) == 1:
        return values[0]
    return statistics.quantiles(values, n=100, method="inclusive")[q - 1]


def main():
    if len(sys.argv) < 2 or not all("=" in a for a in sys.argv[1:]):
        sys.exit(__doc__.strip())
    servers = {name: urllib.parse.urlsplit(url) for name, url in (a.split("=", 1) for a in sys.argv[1:])}
    for server in servers.values():
        stream(server, "warm", 1)
    print("| clients | server | first token, median | p99 | between tokens, median | p99 |")
    print("| --: | --- | --: | --: | --: | --: |")
    for clients in 1, 8, 64:
        seen = {name: ([], []) for name in servers}
        for repeat in range(REPEATS):
            for name, server in servers.items():
                for all_of, more in zip(seen[name], measure(server, clients, repeat)):
                    all_of.extend(more)
        for name, (first, between) in seen.items():
            print(f"| {clients} | {name} | {quantile(first, 50):.0f} | {quantile(first, 99):.0f} | "
                  f"{quantile(between, 50):.1f} | {quantile(between, 99):.0f} |", flush=True)


main()
