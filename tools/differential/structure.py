"""Shared by madc.py and du.py: the structure of a message, the functions of a file, and the output file."""

import ast, json, re

GIVEN = re.compile(r"((?:Step )?·[^·`]*·)")
WORD = re.compile(r"(-?\d+)|[^\s`\d]+")


def mask(text):
    """Keeps inputs, numbers, line breaks and backticks; the words between two of them become one §."""
    parts = GIVEN.split(text)
    for i in range(0, len(parts), 2):
        part = WORD.sub(lambda m: m.group(1) or "§", parts[i])
        part = re.sub(r"\n[^\S\n]+", "\n", part)
        part = re.sub(r"§(?:[^\S\n]*§)+", "§", part)
        parts[i] = re.sub(r"[^\S\n]*(-?\d+)[^\S\n]*", r"\1", part)
    return "".join(parts)


def functions(path, **names):
    """The functions of a file, without whatever else it does when it is run; names are the globals that they see."""
    tree = ast.parse(path.read_text())
    tree.body = [n for n in tree.body if isinstance(n, ast.FunctionDef)]
    exec(compile(tree, str(path), "exec"), names)
    return names


def write(path, found):
    """Writes one line for each kind of case."""
    with open(path, "w") as f:
        f.write(
            "{\n"
            + ",\n".join(f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in found.items())
            + "\n}\n"
        )
