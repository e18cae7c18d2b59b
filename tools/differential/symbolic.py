"""Asks math-verify whether random pairs of answers mean the same, for debate/answer/symbolic/differential_test.go.

    pip install math-verify && python3 symbolic.py --out ../../debate/answer/symbolic/testdata/math-verify.json

The first of a pair is written as the answers of MATH are. The second is the same in another spelling, or nearly the
same.
"""

import argparse
import importlib.metadata
import logging
import random

import originals

SEED = 13


def fraction(r):
    a, b = r.randint(1, 40), r.randint(2, 12)
    same = [
        "\\frac{%d}{%d}" % (a, b),
        "\\dfrac{%d}{%d}" % (a, b),
        "%d/%d" % (a, b),
        "\\frac{%d}{%d}" % (3 * a, 3 * b),
        "\\frac{%d}{%d}." % (a, b),
        "x=\\frac{%d}{%d}" % (a, b),
    ]
    if a > b and a % b:
        same.append("%d\\frac{%d}{%d}" % (a // b, a % b, b))
    if 1000 * a % b == 0:
        same += ["%g" % (a / b), "%.4f" % (a / b)]
    return same, [
        "\\frac{%d}{%d}" % (a + 1, b),
        "-\\frac{%d}{%d}" % (a, b),
        "\\frac{%d}{%d}" % (b, a + 3),
        "%.2f" % (a / b + 0.01),
        "%d" % (a // b),
    ]


def whole(r):
    n = r.choice([r.randint(-50, 200), r.randint(1000, 99999)])
    same = [
        "%d" % n,
        "%d.0" % n,
        "%d." % n,
        "\\$%d" % n,
        "%d\\text{ cm}" % n,
        "%d\\text{inches}" % n,
        "%d^\\circ" % n,
        "%d\\%%" % n,
        "n = %d" % n,
        "xyz=%d" % n,
        "{:,}".format(n),
        "\\frac{%d}{2}" % (2 * n),
        "%d\\mbox{ cm}^2" % n,
        "\\text{%d}" % n,
        "\\sqrt{%d}" % (n * n) if n >= 0 else "-\\sqrt{%d}" % (n * n),
        "%d+%d" % (n - 3, 3),
        "\\boldsymbol{%d}" % n,
    ]
    return same, [
        "%d" % (n + 1),
        "%d" % -n if n else "1",
        "%d.5" % n,
        "%d0" % n,
        "%d\\pi" % n,
        "%dx" % n,
        "%d_8" % n,
        "%d,%d" % (n, n + 1),
    ]


def surd(r):
    a, b, c = r.randint(1, 9), r.choice([2, 3, 5, 7]), r.randint(1, 9)
    same = [
        "%d+%d\\sqrt{%d}" % (c, a, b),
        "%d\\sqrt{%d}+%d" % (a, b, c),
        "%d+\\sqrt{%d}" % (c, a * a * b),
        "%d + %d \\sqrt%d" % (c, a, b),
        "\\frac{%d+%d\\sqrt{%d}}{2}" % (2 * c, 2 * a, b),
    ]
    return same, [
        "%d-%d\\sqrt{%d}" % (c, a, b),
        "%d+%d\\sqrt{%d}" % (c, a, b + 1),
        "%d\\pm%d\\sqrt{%d}" % (c, a, b),
        "\\sqrt{%d}" % (c + a * a * b),
        "%d" % (c + a),
    ]


def polynomial(r):
    a, b, v = r.randint(1, 9), r.randint(1, 9), r.choice("xkn")
    same = [
        "%s^2+%d%s+%d" % (v, a + b, v, a * b),
        "(%s+%d)(%s+%d)" % (v, a, v, b),
        "%d+%d%s+%s^2" % (a * b, a + b, v, v),
        "(%s+%d)(%s+%d)" % (v, b, v, a),
        "%s^{2} + %d %s + %d" % (v, a + b, v, a * b),
    ]
    return same, [
        "%s^2+%d%s+%d" % (v, a + b, v, a * b + 1),
        "%s^2-%d%s+%d" % (v, a + b, v, a * b),
        "y^2+%dy+%d" % (a + b, a * b),
        "(%s+%d)^2" % (v, a + b),
    ]


def tuple_(r):
    a, b = r.randint(-9, 9), r.randint(1, 9)
    same = [
        "(%d,%d)" % (a, b),
        "\\left(%d, %d\\right)" % (a, b),
        "(%d.0,\\frac{%d}{2})" % (a, 2 * b),
        "( %d , %d )" % (a, b),
        "(x,y)=(%d,%d)" % (a, b),
    ]
    return same, [
        "(%d,%d)" % (b, a - 20),
        "[%d,%d]" % (a, b),
        "(%d,%d]" % (a, b),
        "(%d,%d)" % (a, b + 1),
        "(%d,%d,0)" % (a, b),
        "%d" % a,
    ]


def interval(r):
    a, b = r.randint(-9, 0), r.randint(1, 9)
    same = ["[%d,%d)" % (a, b), "\\left[%d, %d\\right)" % (a, b), "x\\in[%d,%d)" % (a, b), "[%d.0,%d)" % (a, b)]
    return same, [
        "[%d,%d]" % (a, b),
        "(%d,%d)" % (a, b),
        "[%d,%d)\\cup(%d,\\infty)" % (a, b, b + 1),
        "[%d,\\infty)" % a,
    ]


def several(r):
    a, b, c = r.sample(range(-9, 20), 3)
    same = [
        "%d,%d,%d" % (a, b, c),
        "%d, %d, %d" % (c, a, b),
        "\\{%d,%d,%d\\}" % (a, b, c),
        "%d,%d,\\frac{%d}{2}" % (b, a, 2 * c),
    ]
    return same, ["%d,%d" % (a, b), "%d,%d,%d" % (a, b, c + 30), "(%d,%d,%d)" % (a, b, c)]


def matrix(r):
    a, b = r.randint(-9, 9), r.randint(1, 9)
    same = [
        "\\begin{pmatrix}%d\\\\%d\\end{pmatrix}" % (a, b),
        "\\begin{pmatrix} %d \\\\ \\frac{%d}{2} \\end{pmatrix}" % (a, 2 * b),
    ]
    return same, [
        "\\begin{pmatrix}%d\\\\%d\\end{pmatrix}" % (a, b + 1),
        "\\begin{pmatrix}%d&%d\\end{pmatrix}" % (a, b),
        "%d" % a,
    ]


def words(r):
    w = r.choice(["east", "even", "Navin", "ellipse", "(C)"])
    return ["\\text{%s}" % w, w, w.upper(), "\\text{ %s}" % w], [
        x for x in ("\\text{seat}", "odd", "\\text{(B)}", "3", w + "s")
    ]


def pi(r):
    a, b = r.randint(2, 30), r.randint(2, 9)
    same = ["%d\\pi" % a, "%d \\pi" % a, "\\pi\\cdot%d" % a, "\\frac{%d\\pi}{%d}" % (a * b, b), "%dπ" % a]
    return same, ["%d" % a, "%d\\pi" % (a + 1), "%.2f" % (3.14159 * a), "%d\\pi^2" % a]


KINDS = [fraction, fraction, whole, whole, whole, surd, polynomial, tuple_, interval, several, matrix, words, pi]


def pairs(number):
    r, found = random.Random(SEED), []
    while len(found) < number:
        same, other = r.choice(KINDS)(r)
        pair = [same[0], r.choice(same[1:] if r.random() < 0.6 else other)]
        if pair not in found:
            found.append(pair)
    return found


def main():
    from math_verify import parse, verify
    from math_verify.parser import LatexExtractionConfig

    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", required=True)
    args = p.parse_args()
    logging.disable(logging.CRITICAL)

    def read(text):
        return parse("$" + text + "$", extraction_config=[LatexExtractionConfig()])

    cases = [[a, b, bool(verify(read(a), read(b)))] for a, b in pairs(2000)]
    originals.write(args.out, "math-verify " + importlib.metadata.version("math-verify"), SEED, cases)


if __name__ == "__main__":
    main()
