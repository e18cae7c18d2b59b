#!/usr/bin/env python3
"""Runs functions of Du et al. (composable-models/llm_multiagent_debate) on random input and writes what they return.

    tools/differential/du.py CHECKOUT OUTPUT_DIRECTORY

CHECKOUT is a working copy of their repository. Only the structure of messages is written (README.md).
"""
import pathlib, random, sys

from structure import functions, mask, write

TASKS = {
    "du-gsm8k": "gsm/gen_gsm.py",
    "du-mmlu": "mmlu/gen_mmlu.py",
    "du-arithmetic": "math/gen_math.py",
    "du-biography": "biography/gen_conversation.py",
}
QUESTION = "·q·"


def message(construct, others, round, rounds):
    """What an agent is sent before a later round, as the loop of each program has it."""
    index = 2 * round - 1
    if "person" in construct.__code__.co_varnames:
        return construct(others, index, person=QUESTION, final=round == rounds - 1)
    return construct(others, QUESTION, index)


def debate(construct, draw, number, agents, rounds):
    contexts, replies, messages = [[{"role": "user", "content": QUESTION}] for _ in range(agents)], [], []
    for round in range(rounds):
        sent = []
        for i, context in enumerate(contexts):
            if round > 0:
                context.append(message(construct, contexts[:i] + contexts[i + 1 :], round, rounds))
                sent.append(mask(context[-1]["content"]))
            text = draw.choice([" ", "\n"]).join(f"·{number}.{round}.{i}.{k}·" for k in range(draw.randint(1, 2)))
            context.append({"role": "assistant", "content": text})
        replies.append([c[-1]["content"] for c in contexts])
        messages.append(sent)
    return {
        "question": QUESTION,
        "replies": replies,
        "messages": messages[1:],
        "roles": [m["role"] for m in contexts[0]],
    }


def main(checkout, output):
    draw, found = random.Random(13), {}
    for name, path in TASKS.items():
        construct = functions(pathlib.Path(checkout) / path)["construct_message"]
        found[name] = [debate(construct, draw, n, 1 + n % 4, 2 + n % 3) for n in range(24)]
    write(pathlib.Path(output) / "du.json", found)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
