#!/usr/bin/env python3
"""Soaks a server of OpenAI's protocol: tools/serve-soak.py MINUTES URL [KEYS]

A steady client asks for 24 tokens, one reply after the other. Others mix streams, hang-ups, several prompts at once,
JSON schemas and embeddings. In the second half, hostile ones send values beyond all bounds, floods of long replies
under 700 names that are given up after 5 s, bodies and headers that stop half-way, and idle connections.

Prints for each kind of request how many were answered, refused and failed, and median and 99th percentile of the time
to the end, in seconds, without and with the hostile ones; how many of the steady client's replies to equal requests
differed; and the resident memory of the process that listens at the URL, each half minute, and a minute after the end
(Linux, with the rights to see it).

KEYS is a file of three API keys: the steady client's, the mixed ones' and the hostile ones'. Without it nobody shows
one. The same against both servers, each with four places:

    printf 'a\\nb\\nc\\n' >keys; parley serve --model FILE.gguf --parallel 4 --listen 127.0.0.1:8080 --api-key-file keys
    tools/serve-soak.py 30 http://127.0.0.1:8080 keys
    llama-server -m FILE.gguf -np 4 -c 16384 -kvu --port 8081
    tools/serve-soak.py 30 http://127.0.0.1:8081

llama-server answers embeddings only with --embeddings, and then nothing else: they count as refused there. Where a
server ends under the hostile ones, the soak ends too, and says when; HOSTILE="flood,idle" chooses those that it
survives ("beyond bounds", "flood", "half a body", "half a header", "absurd chunks", "idle").
"""
import collections
import http.client
import json
import os
import random
import socket
import statistics
import sys
import threading
import time
import urllib.parse

HOSTILE_THREADS, MIXED_THREADS, TIMEOUT = 6, 4, 120
SCHEMA = {"type": "object", "properties": {"answer": {"enum": ["yes", "no"]}, "sure": {"type": "boolean"}},
          "required": ["answer", "sure"], "additionalProperties": False}


class Server:
    """A server, and when the soak of it ends."""

    def __init__(self, url, minutes, keys):
        self.at = urllib.parse.urlsplit(url)
        self.keys = keys
        self.gone = None  # after how many seconds the server took no connections any more
        self.wait()
        self.began = time.monotonic()
        self.ends = self.began + 60 * minutes
        self.seen = collections.defaultdict(list)  # by kind: (half, outcome, seconds)
        self.lock = threading.Lock()
        self.texts = collections.defaultdict(set)  # of the steady client, by its request

    def half(self):
        return int(time.monotonic() > (self.began + self.ends) / 2)

    def over(self):
        return time.monotonic() > self.ends or self.gone

    def wait(self):
        """Waits until the server answers that it is well."""
        for _ in range(600):
            try:
                connection = self.connect()
                connection.request("GET", "/health")
                if connection.getresponse().status == 200:
                    return
            except OSError:
                pass
            time.sleep(0.5)
        sys.exit(f"{self.at.geturl()}/health does not answer 200")

    def connect(self, patience=TIMEOUT):
        return http.client.HTTPConnection(self.at.hostname, self.at.port, timeout=patience)

    def send(self, connection, who, path, body, session=None):
        headers = {"Content-Type": "application/json"}
        if self.keys:
            headers["Authorization"] = "Bearer " + self.keys[who]
        if session:
            headers["X-Parley-Session"] = session
        text = body if isinstance(body, (bytes, str)) else json.dumps(body)
        connection.request("POST", self.at.path.rstrip("/") + path, text, headers)
        return connection.getresponse()

    def note(self, kind, ask):
        """Has a request made by a function that returns its status, and notes what became of it."""
        half, began = self.half(), time.monotonic()
        try:
            status = ask()
            outcome = "answered" if status == 200 else "refused" if status < 500 or status in (501, 503, 507) \
                else "failed"
        except ConnectionRefusedError:
            self.gone = self.gone or time.monotonic() - self.began
            return
        except (OSError, http.client.HTTPException, ValueError) as e:
            outcome = "failed"
            print(f"{kind}: {type(e).__name__}: {e}", file=sys.stderr)
            time.sleep(0.2)
        with self.lock:
            self.seen[kind].append((half, outcome, time.monotonic() - began))

    def whole(self, who, path, body, session=None, patience=TIMEOUT):
        """Asks and reads all of the answer; returns status and text."""
        connection = self.connect(patience)
        try:
            response = self.send(connection, who, path, body, session)
            return response.status, response.read()
        finally:
            connection.close()


def chat(text, tokens, **more):
    return {"messages": [{"role": "system", "content": "You debate a question with others. " * 8},
                         {"role": "user", "content": text}], "max_tokens": tokens, "seed": 7, "temperature": 1, **more}


def steady(server):
    number = 0
    while not server.over():
        question = f"Question {number % 16}: is it right?"

        def ask():
            status, text = server.whole(0, "/v1/chat/completions", chat(question, 24))
            if status == 200:
                server.texts[question].add(json.loads(text)["choices"][0]["message"]["content"])
            return status
        server.note("steady", ask)
        number += 1


def mixed(server, number):
    r = random.Random(number)

    def stream(hang_up):
        connection = server.connect()
        try:
            response = server.send(connection, 1, "/v1/chat/completions",
                                   chat(f"Stream {r.random()}", 256 if hang_up else 48, stream=True))
            for i, line in enumerate(response):
                if hang_up and i > 8 or line.startswith(b"data: [DONE]"):
                    break
            return response.status
        finally:
            connection.close()

    kinds = {
        "stream": lambda: stream(False),
        "hang-up": lambda: stream(True),
        "eight prompts": lambda: server.whole(1, "/v1/completions", {
            "prompt": [f"Batch {r.random()}, text {i}:" for i in range(8)], "max_tokens": 16, "seed": 1})[0],
        "schema": lambda: server.whole(1, "/v1/chat/completions", chat(
            f"Schema {r.random()}", 48, response_format={"type": "json_schema", "json_schema": {
                "name": "answer", "schema": SCHEMA}}))[0],
        "embedding": lambda: server.whole(1, "/v1/embeddings", {"input": f"Text {r.random()}", "model": "any"})[0],
    }
    while not server.over():
        kind = r.choice(sorted(kinds))
        server.note(kind, kinds[kind])


def beyond(r):
    """A request that no server should compute."""
    nested = {"type": "string"}
    for _ in range(r.choice((3, 60, 2000))):
        nested = {"type": "object", "properties": {"a": nested, "b": nested}} if r.random() < .1 else \
            {"type": "array", "items": nested}
    deep = "[" * 100_000 + "]" * 100_000
    wide = {"type": "object", "properties": {f"p{i}": {"type": "object", "properties": {
        f"q{j}": {"type": "string"} for j in range(60)}} for i in range(60)}}
    try:
        schema = json.dumps({"type": "json_schema", "json_schema": {"name": "x", "schema": r.choice((nested, wide))}})
    except RecursionError:
        schema = "{}"
    ask = '"messages":[{"role":"user","content":"x"}]'
    return "/v1/chat/completions", "{%s}" % r.choice((
        f'{ask},"response_format":{schema}',
        f'{ask},"tools":{deep}',
        f'{ask},"user":"{"u" * r.choice((257, 10_000_000))}"',
        f'{ask},"logit_bias":{{{",".join(f"{chr(34)}{i}{chr(34)}:1" for i in range(100_000))}}}',
        f'{ask},"stop":{json.dumps([str(i) for i in range(10_000)])}',
        f'{ask},"temperature":1e999', f'{ask},"top_p":NaN', f'{ask},"max_tokens":99999999999999999999',
        f'{ask},"n":100000', f'{ask},"response_format":{{"type":"json_object","schema":{{"$ref":"#"}}}}',
        '"messages":[%s]' % ",".join(['{"role":"user","content":"x"}'] * 50_000),
        '"messages":[{"role":"user","content":"%s"}]' % ("word " * 2_000_000)))


def hostile(server, number):
    r = random.Random(1000 + number)
    while not server.half() and not server.over():
        time.sleep(0.2)
    held = []

    def hold(text, count):
        """Opens connections that send a part of a request and then nothing."""
        for _ in range(count):
            held.append(socket.create_connection((server.at.hostname, server.at.port), timeout=TIMEOUT))
            held[-1].sendall(text)
        while len(held) > 300:
            held.pop(0).close()
        return 200

    def flood():
        threads = [threading.Thread(target=quietly, args=(lambda: server.whole(
            2, "/v1/completions", {"prompt": f"Flood {r.random()}", "n": 16, "max_tokens": 200, "ignore_eos": True},
            f"name {r.randrange(700)}", 5),)) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        return 200

    head = b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\n"
    key = f"Authorization: Bearer {server.keys[2]}\r\n".encode() if server.keys else b""
    kinds = {
        "beyond bounds": lambda: server.whole(2, *beyond(r))[0],
        "flood": flood,
        "half a body": lambda: hold(head + key + b"Content-Length: 9000000\r\n\r\n" + b" " * 100_000, 4),
        "half a header": lambda: hold(head + b"X-A: " + b"a" * 10_000, 8),
        "absurd chunks": lambda: hold(head + key + b"Transfer-Encoding: chunked\r\n\r\n1;" + b"e" * 100_000, 4),
        "idle": lambda: hold(b"", 32),
    }
    kinds = {kind: kinds[kind] for kind in os.environ.get("HOSTILE", ",".join(kinds)).split(",")}
    while not server.over():
        kind = r.choice(sorted(kinds))
        server.note("hostile: " + kind, kinds[kind])
    for c in held:
        c.close()


def quietly(ask):
    try:
        ask()
    except (OSError, http.client.HTTPException):
        pass  # the flood of a hostile client may be cut off


def listener(port):
    """The process that listens on a port of this machine, or None."""
    wanted = set()
    for table in "/proc/net/tcp", "/proc/net/tcp6":
        try:
            rows = [row.split() for row in open(table).readlines()[1:]]
        except OSError:
            continue
        wanted |= {f"socket:[{row[9]}]" for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == port}
    for pid in filter(str.isdigit, os.listdir("/proc") if wanted else ()):
        try:
            if any(os.readlink(f"/proc/{pid}/fd/{fd}") in wanted for fd in os.listdir(f"/proc/{pid}/fd")):
                return pid
        except OSError:
            continue
    return None


def resident(pid):
    """Mebibytes of a process that are in memory; None without one."""
    try:
        status = open(f"/proc/{pid}/status").read()
    except OSError:
        return None
    return int(status.split("VmRSS:")[1].split()[0]) // 1024


def times(rows, half):
    of = sorted(seconds for h, outcome, seconds in rows if h == half and outcome == "answered")
    if len(of) < 2:
        return "–"
    return f"{statistics.median(of):.3f} / {statistics.quantiles(of, n=100, method='inclusive')[98]:.3f}"


def report(server):
    print("| requests | answered | refused | failed | without hostile ones, p50 / p99 | with them |")
    print("| --- | --: | --: | --: | --: | --: |")
    total = collections.Counter()
    for kind, rows in sorted(server.seen.items()):
        count = collections.Counter(outcome for _, outcome, _ in rows)
        if not kind.startswith("hostile"):
            total += count
        print(f"| {kind} | {count['answered']} | {count['refused']} | {count['failed']} | "
              f"{times(rows, 0)} | {times(rows, 1)} |")
    print(f"\nwithout the hostile ones: {total['answered']} answered, {total['refused']} refused, "
          f"{total['failed']} failed")
    if server.gone:
        print(f"the server took no connections any more after {server.gone:.0f} s")
    differed = sum(len(texts) > 1 for texts in server.texts.values())
    print(f"{differed} of {len(server.texts)} requests of the steady client had replies that differed")


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__.strip())
    keys = open(sys.argv[3]).read().split() if len(sys.argv) == 4 else []
    if keys and len(keys) != 3:
        sys.exit(f"{sys.argv[3]} has {len(keys)} keys, and three are needed")
    server = Server(sys.argv[2], float(sys.argv[1]), keys)
    pid = listener(server.at.port or 80)
    threads = [threading.Thread(target=steady, args=(server,))]
    threads += [threading.Thread(target=mixed, args=(server, i)) for i in range(MIXED_THREADS)]
    threads += [threading.Thread(target=hostile, args=(server, i)) for i in range(HOSTILE_THREADS)]
    for t in threads:
        t.start()
    memory = []
    while any(t.is_alive() for t in threads):
        memory.append(f"{resident(pid)}{'h' if server.half() else ''}")
        until = time.monotonic() + 30
        while time.monotonic() < until and any(t.is_alive() for t in threads):
            time.sleep(0.2)
    report(server)
    print("resident MiB each half minute, h with the hostile ones:", " ".join(memory), flush=True)
    time.sleep(60)
    print("resident MiB a minute after the end:", resident(pid))


if __name__ == "__main__":
    main()
