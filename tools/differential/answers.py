"""Runs the answer rules of other programs on random texts and writes what they find.

The output is for debate/answer/differential_test.go.

    python3 answers.py --mmlu-pro DIR --du DIR --madc DIR --mallm DIR --math DIR --out ../../debate/answer/testdata

Each DIR is a checkout: TIGER-AI-Lab/MMLU-Pro, composable-models/llm_multiagent_debate, SG-XM/AAAI2026-MADC,
Multi-Agent-LLMs/mallm, hendrycks/math. A rule whose checkout is missing is left out. A case is a text and what the
program makes of it, null for nothing.
"""

import argparse
import contextlib
import io
import os
import random
import re
import sys
import warnings

import originals

warnings.simplefilter("ignore")  # escapes in the originals
SEED = 13

LETTERS = list("ABCDEFGHIJKXabdgé")
BESIDE = [
    "Δ",
    "é",
    "₂",
    "²",
    "ω",
    "_",
    "’",
    "'",
    "1",
    "(",
    ")",
    ".",
    ",",
    ":",
    "]",
    "*",
    "-",
    "\u0301",
    "\u20d7",
    "ß",
    "中",
    "٣",
    "ſ",
    "K",
    "x",
    "Bc",
]
SPACES = [" ", " ", " ", "\u00a0", "\u202f", "\n", "\t", "\u3000", "\x1c", "\x0b", ""]
PHRASES = [
    "answer is ",
    "The answer is (",
    "Answer:",
    "answer:",
    "final solution:",
    "Final Solution :",
    "so",
    "l'Hôpital",
    "NaCl",
    "H₂O",
    "ΔG",
    "the",
    "none",
]
NUMBERS = [
    "1",
    "42",
    "3.5",
    "0.50",
    "1234",
    "7.",
    ".5",
    "007",
    "١٢",
    "{12}",
    "{$5.50}",
    "{1.2.3}",
    "{...}",
    "{}",
    "(12)",
    "(-7)",
    "(٣)",
    "18.",
]
LATEX = [
    "\\frac",
    "\\dfrac",
    "\\tfrac",
    "{",
    "}",
    "{1}",
    "{2}",
    "1",
    "2",
    "12",
    "-",
    "/",
    "0",
    ".5",
    "0.5",
    ".",
    "x",
    "=",
    "x=",
    "y = ",
    " ",
    "\\sqrt",
    "\\text{ cm}",
    "\\text{even}",
    "\\left(",
    "\\right)",
    ",",
    "^{\\circ}",
    "^\\circ",
    "\\$",
    "\\%",
    "%",
    "\\!",
    "\\\\",
    "\n",
    "\\pi",
    "α",
    "3",
    "+",
]


def text(r, parts, most):
    """A random text of parts, half of the time with characters beside them that are not ASCII."""
    out = []
    for _ in range(r.randint(1, most)):
        word = r.choice(r.choice(parts))
        if r.random() < 0.3:
            word = r.choice(BESIDE) + word
        if r.random() < 0.3:
            word += r.choice(BESIDE)
        out.append(word + r.choice(SPACES))
    return "".join(out)


def cases(number, make, rule):
    """Different random texts, with what a rule makes of them."""
    r, found = random.Random(SEED), {}
    while len(found) < number:
        case = make(r)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                found[case] = rule(case)
        except Exception as e:  # a crash of theirs
            found[case] = {"error": type(e).__name__}
    return list(found.items())


def mmlu_pro(checkout):
    rule, *_ = originals.functions(
        os.path.join(checkout, "evaluate_from_local.py"), "extract_answer", "extract_again", "extract_final", re=re
    )
    return cases(2500, lambda r: text(r, [LETTERS, LETTERS, BESIDE, PHRASES], 7), rule)


def du_number(checkout):
    braced, plain = originals.functions(
        os.path.join(checkout, "gsm", "eval_gsm.py"), "parse_answer", "solve_math_problems", re=re
    )

    def rule(reply):  # as compute_accuracy does, which compares floats
        found = braced(reply)
        found = plain(reply) if found is None else found
        return None if found is None else float(found)

    return cases(1000, lambda r: text(r, [NUMBERS, NUMBERS, PHRASES, BESIDE], 6), rule)


def du_letter(checkout):
    (rule,) = originals.functions(os.path.join(checkout, "mmlu", "eval_mmlu.py"), "parse_answer", re=re)
    parts = [["(%s)" % c for c in LETTERS + BESIDE], LETTERS, PHRASES]
    return cases(1000, lambda r: text(r, parts, 6), rule)


def madc(checkout):
    letter, number = originals.functions(
        os.path.join(checkout, "eval_all_round.py"), "parse_answer", "solve_math_problems", re=re
    )
    parts = [["(%s)" % c for c in LETTERS + BESIDE + ["12", "-7", "--1"]], NUMBERS, PHRASES]
    return cases(1000, lambda r: text(r, parts, 6), lambda reply: letter(reply) or number(reply))


def mallm(checkout):
    path = os.path.join(checkout, "mallm", "evaluation", "metrics", "qa.py")
    patterns = originals.constants(
        path, "MultiChoiceBoolean", "ANSWER_PATTERN_MULTICHOICE", "ANSWER_PATTERN_MULTICHOICE_BACKUP"
    )

    def rule(reply):
        for p in patterns:
            m = re.search(p, reply)
            if m:
                return m.group(1)
        return None

    return cases(1000, lambda r: text(r, [LETTERS, LETTERS, BESIDE, PHRASES], 7), rule)


def hendrycks(checkout):
    normal, *_ = originals.functions(
        os.path.join(checkout, "modeling", "math_equivalence.py"),
        "_strip_string",
        "_fix_fracs",
        "_fix_a_slash_b",
        "_remove_right_units",
        "_fix_sqrt",
    )

    def formula(r):
        inside = "".join(r.choice(LATEX) for _ in range(r.randint(1, 8)))
        return "\\(" + inside + "\\)" if r.random() < 0.05 else inside

    return cases(2500, formula, normal)


RULES = {
    "mmlu_pro": (mmlu_pro, "mmlu-pro"),
    "du": (du_number, "number"),
    "du_letter": (du_letter, "letter"),
    "madc": (madc, "choice"),
    "mallm": (mallm, "solution-letter"),
    "math": (hendrycks, "math"),
}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("mmlu-pro", "du", "madc", "mallm", "math"):
        p.add_argument("--" + name)
    p.add_argument("--out", required=True)
    args = vars(p.parse_args())
    args["du_letter"] = args["du"]
    for name, (make, file) in RULES.items():
        if args[name]:
            path = os.path.join(args["out"], file + ".json")
            originals.write(path, originals.commit(args[name]), SEED, make(args[name]))


if __name__ == "__main__":
    sys.exit(main())
