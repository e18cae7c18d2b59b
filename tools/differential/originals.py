"""Shared by answers.py, knights.py and symbolic.py: parts of another program without the rest, and the output file."""

import ast
import json
import subprocess


def functions(path, *names, **globals_):
    """Defines the named functions and classes of a file, and runs nothing else in it."""
    with open(path, encoding="utf-8") as f:
        tree = ast.parse(f.read())
    tree.body = [n for n in tree.body if getattr(n, "name", None) in names]
    exec(compile(tree, path, "exec"), globals_)
    return [globals_[n] for n in names]


def constants(path, cls, *names):
    """The values of a class's constants."""
    with open(path, encoding="utf-8") as f:
        tree = ast.parse(f.read())
    body = next(n for n in tree.body if getattr(n, "name", None) == cls).body
    found = {
        n.targets[0].id: ast.literal_eval(n.value)
        for n in body
        if isinstance(n, ast.Assign) and n.targets[0].id in names
    }
    return [found[n] for n in names]


def commit(checkout):
    return subprocess.run(
        ["git", "-C", checkout, "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    ).stdout.strip()


def write(path, source, seed, cases):
    """Writes one case a line, so that a diff can be read."""
    with open(path, "w", encoding="utf-8") as f:
        head = json.dumps({"source": source, "seed": seed}, ensure_ascii=False)
        lines = ",\n".join(json.dumps(c, ensure_ascii=False) for c in cases)
        f.write(head[:-1] + ', "cases": [\n' + lines + "\n]}\n")
    print(path, len(cases), "cases")
