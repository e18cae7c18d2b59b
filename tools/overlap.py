#!/usr/bin/env python3
"""Finds where our prompts say what a source says in the same words.

    tools/overlap.py CHECKOUT...

Each CHECKOUT is a working copy of a source's repository. The script prints every run of eight or more equal words with
our file and theirs. Case, punctuation and line breaks do not count, and a placeholder ends a run. The exit status is 1
if there is such a run.
"""
import pathlib, re, sys

LONG = 8
ROOT = pathlib.Path(__file__).resolve().parent.parent
OURS = ["debate/prompts/**/*.yaml", "debate/protocol/protocols.yaml", "bench/experiment/experiments/*.yaml"]
THEIRS = {".py", ".txt", ".json", ".yaml", ".yml", ".md", ".sh"}
LARGEST = 300_000  # bytes; larger files are data
# What parsers, ours or theirs, must find in a reply, and the frame of worked examples. It ends a run as a placeholder
# does.
FORMATS = re.compile(
    r"in the form \(X\)|Let's think step by step|Step 1:"
    r"|\W*Whether there is a preference\W.*?\W(?:debate_answer|debate_translation)\W|[0-9, ]{9,}",
    re.S,
)
# The embedded model was trained on the words of MADC and answers no others: docs/decisions.md.
EXEMPT = {"debate/prompts/tiny.yaml"}


def words(text):
    """Words in lower case, and None for each placeholder or fixed format."""
    text = FORMATS.sub(" {} ", re.sub(r"\\[ntr\"']", " ", text))
    found = re.findall(r"\{[^{}\n]{0,40}\}|<[A-Z_]+>|[^\W_]+(?:['’][a-z]+)?", text)
    return [None if w[0] in "{<" else w.lower() for w in found]


def runs(tokens):
    """Each run of LONG words, with its index."""
    for i in range(len(tokens) - LONG + 1):
        run = tuple(tokens[i : i + LONG])
        if None not in run:
            yield i, run


def indexed(checkouts):
    """One file in which a run occurs, by the run."""
    index = {}
    for checkout in map(pathlib.Path, checkouts):
        for path in sorted(checkout.rglob("*")):
            if path.suffix in THEIRS and ".git" not in path.parts and path.is_file() and path.stat().st_size <= LARGEST:
                for _, run in runs(words(path.read_text(errors="replace"))):
                    index.setdefault(run, f"{checkout.name}/{path.relative_to(checkout)}")
    return index


def overlaps(path, index):
    """Maximal runs of our file that occur in theirs, each with one of their files."""
    tokens, end = words(path.read_text()), 0
    for i, run in runs(tokens):
        if i < end or run not in index:
            continue
        end = i + LONG
        while end < len(tokens) and tuple(tokens[end - LONG + 1 : end + 1]) in index:
            end += 1
        yield " ".join(tokens[i:end]), index[run]


def main(checkouts):
    if not checkouts:
        sys.exit(__doc__)
    index, found = indexed(checkouts), 0
    for pattern in OURS:
        for path in sorted(ROOT.glob(pattern)):
            if (name := str(path.relative_to(ROOT))) in EXEMPT:
                continue
            for text, theirs in overlaps(path, index):
                found += 1
                print(f"{name}: {text!r} also in {theirs}")
    print(f"{found} overlaps of {LONG} words or more, {len(index)} runs of theirs")
    return found > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
