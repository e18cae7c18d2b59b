#!/usr/bin/env python3
"""Measures a client that asks the same without a seed, one request after the other:

    tools/serial.py NAME=URL [NAME=URL...]

The servers, each started anew, are those to compare, such as `parley serve` with and without --draw-ahead. Prints the
seconds that REPEATS replies of TOKENS tokens take in each of ROUNDS rounds, in turns, each round with a prompt of its
own, and a hash of all replies, which shows whether the servers gave the same."""
import hashlib
import http.client
import json
import os
import sys
import time
import urllib.parse

REPEATS, TOKENS, ROUNDS = (int(os.environ.get(name, usual)) for name, usual in
                           (("REPEATS", 50), ("TOKENS", 60), ("ROUNDS", 3)))
COMMON = "Several agents debate a question and give reasons for what they think. " * 4


def ask(server, turn):
    """Seconds for all repeats of one prompt, and the replies."""
    connection = http.client.HTTPConnection(server.hostname, server.port, timeout=600)
    body = json.dumps({"messages": [{"role": "user", "content": f"{COMMON}Question {turn}?"}], "max_tokens": TOKENS})
    began, replies = time.perf_counter(), b""
    for _ in range(REPEATS):
        connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        text = response.read()
        if response.status != 200:
            raise RuntimeError(f"{server.geturl()}: {response.status} {text[:300]}")
        replies += "".join(c["message"]["content"] for c in json.loads(text)["choices"]).encode()
    return time.perf_counter() - began, replies


def main():
    if len(sys.argv) < 2 or not all("=" in a for a in sys.argv[1:]):
        sys.exit(__doc__.strip())
    servers = {name: urllib.parse.urlsplit(url) for name, url in (a.split("=", 1) for a in sys.argv[1:])}
    seconds, hashes = {name: [] for name in servers}, {name: hashlib.sha256() for name in servers}
    for turn in range(ROUNDS):
        for name, server in servers.items():
            took, replies = ask(server, turn)
            seconds[name].append(took)
            hashes[name].update(replies)
    print("| server | s | replies |")
    print("| --- | --: | --- |")
    for name in servers:
        print(f"| {name} | {', '.join(f'{s:.2f}' for s in seconds[name])} | {hashes[name].hexdigest()[:12]} |")


main()
