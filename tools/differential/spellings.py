"""Asks math-verify whether the pairs of a file mean the same, for debate/answer/reader/equality_test.go.

    pip install math-verify && python3 spellings.py PAIRS OUT

OUT has the pairs with their verdicts; one has the reason why ours is another one.
"""

import importlib.metadata
import json
import sys

from math_verify import parse, verify

with open(sys.argv[1], encoding="utf-8") as f:
    pairs = json.load(f)["pairs"]
for p in pairs:
    p["theirs"] = verify(parse(f"${p['a']}$"), parse(f"${p['b']}$"))
with open(sys.argv[2], "w", encoding="utf-8") as f:
    lines = ",\n".join(json.dumps(p, ensure_ascii=False) for p in pairs)
    f.write('{"source": "math-verify %s", "pairs": [\n%s\n]}\n' % (importlib.metadata.version("math-verify"), lines))
