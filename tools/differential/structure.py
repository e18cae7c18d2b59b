"""What the scripts share: the structure of a message, functions of a file, expectations as a file."""

import ast, json, re

GIVEN = re.compile(r"((?:Step )?·[^·`]*·)")
WORD = re.compile(r"(-?\d+)|[^\s`\d]+")


def mask(text):
    """Inputs, numbers, line breaks and backticks as they are; all other words between two of them are one §."""
    parts = GIVEN.split(text)
    for i in range(0, len(parts), 2):
        part = WORD.sub(lambda m: m.group(1) or "§", parts[i])
        part = re.sub(r"\n[^\S\n]+", "\n", part)
        part = re.sub(r"§(?:[^\S\n]*§)+", "§", part)
        parts[i] = re.sub(r"[^\S\n]*(-?\d+)[^\S\n]*", r"\1", part)
    return "".join(parts)


def functions(path, **names):
    """The functions of a file, without whatever else it does when it is run; names are what they find beside them."""
    tree = ast.parse(path.read_text())
    tree.body = [n for n in tree.body if isinstance(n, ast.FunctionDef)]
    exec(compile(tree, str(path), "exec"), names)
    return names


def write(path, found):
    """One line for each kind of case."""
    with open(path, "w") as f:
        f.write(
            "{\n"
            + ",\n".join(f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in found.items())
            + "\n}\n"
        )
