#!/usr/bin/env python3
"""Measures what others cost one client: tools/fairness.py URL KEYS

A steady client asks for 24 tokens, one reply after the other: first alone, then beside one greedy client, whose
requests have 40 times 128 choices in flight, then beside one that uses 700 names of sessions, then beside nine other
steady ones, and then beside nine greedy ones. Prints median and 99th percentile of its time to the end of a reply, in
seconds, and its ratio to the median alone.

KEYS is a file of ten API keys, the first of which is the steady client's:

    for i in 0 1 2 3 4 5 6 7 8 9; do echo key-$i; done >keys
    parley serve --model FILE.gguf --listen 127.0.0.1:8080 --api-key-file keys

SECONDS sets how long each part takes, 30 unless said otherwise.
"""
import http.client
import json
import os
import statistics
import sys
import threading
import time
import urllib.parse

SECONDS = float(os.environ.get("SECONDS", "30"))
SYSTEM = "You debate a question with others, and give reasons for what you think. " * 8


class Client:
    """One API key of a server."""

    def __init__(self, url, key):
        self.at, self.key = urllib.parse.urlsplit(url), key

    def ask(self, text, session=None, **more):
        """Asks once, and returns the status and the seconds to the end of the answer."""
        body = {"messages": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": text}],
                "temperature": 1, "ignore_eos": True, **more}
        headers = {"Content-Type": "application/json", "Authorization": "Bearer " + self.key}
        if session:
            headers["X-Parley-Session"] = session
        began = time.monotonic()
        connection = http.client.HTTPConnection(self.at.hostname, self.at.port, timeout=600)
        try:
            connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
            response = connection.getresponse()
            response.read()
            return response.status, time.monotonic() - began
        finally:
            connection.close()

    def steady(self, until, times):
        """Asks until a moment, and adds the seconds of each answer to times."""
        number = 0
        while time.monotonic() < until:
            status, seconds = self.ask(f"Question {number} of {self.key}: is it right?", seed=number, max_tokens=24)
            if status != 200:
                sys.exit(f"the steady client got status {status}")
            times.append(seconds)
            number += 1


def beside(others, until):
    """Starts threads, each of which makes requests until a moment; others are pairs of a client and its arguments."""
    def go(client, number, session, more):
        turn = 0
        while time.monotonic() < until:
            turn += 1
            try:
                status, _ = client.ask(f"Task {number}, {turn} of {client.key}",
                                       session and f"{session} {turn}", **more)
            except (OSError, http.client.HTTPException):
                return  # the server was stopped
            if status != 200:
                time.sleep(0.5)
    threads = [threading.Thread(target=go, args=(client, i, session, more), daemon=True)
               for i, (client, session, more) in enumerate(others)]
    for t in threads:
        t.start()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    clients = [Client(sys.argv[1], key) for key in open(sys.argv[2]).read().split()]
    if len(clients) != 10:
        sys.exit(f"{sys.argv[2]} has {len(clients)} keys, and ten are needed")
    first, rest = clients[0], clients[1:]
    choices = {"n": 128, "max_tokens": 200}
    short = {"max_tokens": 24}
    parts = {
        "alone": [],
        "beside one of 40 x 128 choices": [(rest[0], None, choices)] * 40,
        "beside one of 700 sessions": [(rest[0], f"name {i}", {"max_tokens": 200}) for i in range(70)],
        "beside nine steady ones": [(client, None, short) for client in rest],
        "beside nine of 40 x 128 choices": [(client, None, choices) for client in rest for _ in range(40)],
    }
    alone = None
    for name, others in parts.items():
        until = time.monotonic() + SECONDS
        beside(others, until)
        time.sleep(SECONDS / 6)  # the others have begun
        times = []
        first.steady(until, times)
        middle = statistics.median(times)
        alone = alone or middle
        last = statistics.quantiles(times, n=100, method="inclusive")[98] if len(times) > 1 else middle
        print(f"{name}: {middle:.3f} / {last:.3f} s in {len(times)} replies, {middle / alone:.2f} times alone",
              flush=True)
        time.sleep(SECONDS / 3)  # what the others still have in flight ends, or is cut off below


main()
