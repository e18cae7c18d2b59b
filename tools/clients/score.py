"""Prints, for the pairs of context and continuation in a file, the log-probability of each continuation and the number
of its tokens, as llama-cpp-python computes them: score.py MODEL FILE."""
import json
import sys

import llama_cpp
import numpy

model = llama_cpp.Llama(sys.argv[1], logits_all=True, verbose=False, n_ctx=2048)


def score(context, continuation):
    """Tokenizes as lm-evaluation-harness does: blanks at the end of the context belong to the continuation."""
    prompt = model.tokenize(context.encode(), add_bos=False, special=True)
    tokens = model.tokenize((context + continuation).encode(), add_bos=False, special=True)
    model.reset()
    model.eval(tokens)
    logits = model.scores[:len(tokens)].astype(numpy.float64)
    logits -= logits.max(-1, keepdims=True)
    logits -= numpy.log(numpy.exp(logits).sum(-1, keepdims=True))
    n = len(tokens) - len(prompt)
    return [float(sum(logits[i - 1][tokens[i]] for i in range(len(prompt), len(tokens)))), n]


json.dump([[score(*pair) for pair in pairs] for pairs in json.load(open(sys.argv[2]))], sys.stdout)
