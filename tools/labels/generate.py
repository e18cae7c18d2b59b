#!/usr/bin/env python3
"""Asks a model of `parley serve` the questions of the labelled replies, and writes the replies as JSON lines.

    parley serve --model smollm2-135m-instruct.q4_1.gguf --listen 127.0.0.1:9131 &
    tools/labels/generate.py --data ../shared/data --url http://127.0.0.1:9131 --style chat --out replies.jsonl

A model without instruction tuning is asked with --style base, behind a template that adds nothing (serve
--chat-template FILE): {{ bos_token }}{% for message in messages %}{{ message['content'] }}{% endfor %}

Every prompt stands here; a reply's "format" names the one that asked for it. Seeds are hashes of the reply's name,
so that the same build on the same machine gives the same replies.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import random
import sys
import urllib.request

LETTERS = "ABCDEFGHIJKLMNOP"

# How a chat model is asked, family by family. {q} is the question, {o} its options as "(A) ...", {d} as "A. ...",
# {c} the passage.
CHAT = {
    "gsm8k": {
        "plain": "{q}",
        "line": "{q}\n\nThink step by step. End with a line that says \"The answer is:\" and the number.",
        "hashes": "Solve this problem step by step, and write the final number after \"####\".\n\n{q}",
        "boxed": "{q}\nPlease reason step by step, and put your final answer within \\boxed{{}}.",
    },
    "math500": {
        "plain": "{q}",
        "boxed": "{q}\nPlease reason step by step, and put your final answer within \\boxed{{}}.",
        "final": "Solve this problem.\n\n{q}\n\nEnd with \"Final answer:\" and the answer.",
    },
    "mmlu": {
        "letter": "{q}\n\n{d}\n\nAnswer with the letter of the right option only.",
        "the-answer": "{q}\n{o}\n\nThink step by step, then end with \"The answer is (X)\", X being the letter.",
        "plain": "{q}\n{d}",
        "answer": "Question: {q}\n{d}\nGive a short reason. Then write \"Answer:\" and the letter.",
    },
    "mmlu-pro": {
        "the-answer": "{q}\nOptions:\n{d}\n\nThink step by step and finish with \"the answer is (X)\" where X is the "
                      "correct letter choice.",
        "letter": "{q}\n\n{o}\n\nWhich option is right? Answer with its letter.",
        "plain": "{q}\n{o}",
    },
    "bbh": {
        "cot": "{q}\n\nLet's think step by step. End with \"So the answer is (X).\"",
        "letter": "{q}\n\nReply with the letter of the right option.",
        "plain": "{q}",
    },
    "strategyqa": {
        "yes-no": "{q} Answer yes or no, and say why.",
        "line": "{q}\n\nThink step by step. The last line must be \"The answer is yes\" or \"The answer is no\".",
        "plain": "{q}",
        "options": "{q}\n(A) Yes\n(B) No\n\nState your final solution as \"Final Solution: (A)\" or \"(B)\".",
    },
    "squad2": {
        "short": "{c}\n\nQuestion: {q}\nAnswer with a few words of the text. If the text does not say it, answer "
                 "\"unanswerable\".",
        "final": "Read this text.\n\n{c}\n\n{q}\n\nEnd with \"Final answer:\" and the words of the text that answer "
                 "it, or \"unknown\".",
    },
    "ciar": {
        "plain": "{q}",
        "line": "{q}\n\nGive your reasoning, then a last line \"Answer:\" with the result.",
    },
    "musr": {
        "line": "{c}\n\n{q}\n{d}\n\nThink it through, then write \"ANSWER:\" and the name.",
    },
    "open": {
        "plain": "{q}",
        "line": "{q}\n\nEnd with a line \"The answer is:\" and the answer.",
        "short": "{q} Answer in a few words.",
    },
}

# How a model without instruction tuning is asked: two examples of our own, or none, and the place of the answer.
SHOTS = {
    "number": "Question: Tom has 3 apples and buys 4 more. How many apples does he have?\n"
              "Answer: He has 3 + 4 = 7 apples. The answer is 7.\n\n"
              "Question: A box holds 6 eggs. How many eggs are in 5 boxes?\n"
              "Answer: There are 5 * 6 = 30 eggs. The answer is 30.\n\n",
    "math": "Problem: Compute $2+3\\cdot 4$.\nSolution: We have $3\\cdot 4=12$, so the sum is $\\boxed{14}$.\n\n"
            "Problem: What is the slope of $y=3x-1$?\nSolution: The slope is $\\boxed{3}$.\n\n",
    "choice": "Question: Which of these is a planet?\n(A) Mars (B) Sirius (C) Titan\n"
              "Answer: Sirius is a star and Titan a moon. The answer is (A).\n\n"
              "Question: How many legs has a spider?\n(A) 4 (B) 6 (C) 8\n"
              "Answer: Spiders have eight legs. The answer is (C).\n\n",
    "yes-no": "Question: Can a fish ride a bicycle?\nAnswer: Fish have no legs. So the answer is no.\n\n"
              "Question: Is ice colder than steam?\nAnswer: Ice is frozen and steam is hot. So the answer is yes.\n\n",
    "words": "Question: Which river flows through Vienna?\nAnswer: the Danube\n\n"
             "Question: Who wrote Faust?\nAnswer: Goethe\n\n",
}
KIND = {"gsm8k": "number", "math500": "math", "mmlu": "choice", "mmlu-pro": "choice", "bbh": "choice",
        "strategyqa": "yes-no", "squad2": "words", "ciar": "quantity", "musr": "name", "open": "words"}


def base_prompts(family):
    """The prompts of a model that only continues text, as templates like those of CHAT."""
    kind = {"quantity": "number", "name": "words"}.get(KIND[family], KIND[family])
    head = SHOTS[kind].replace("{", "{{").replace("}", "}}")
    label = ("Problem", "Solution") if kind == "math" else ("Question", "Answer")
    body = "{q}"
    if family in ("mmlu", "mmlu-pro"):
        body = "{q}\n{o}"
    if family == "musr":
        body = "{q}\n{d}"
    text = f"{label[0]}: {body}\n{label[1]}:"
    before = "{c}\n\n" if family in ("squad2", "musr") else ""
    return {"shots": before + head + text, "none": before + text}


OPEN = [
    ("capital", "What is the capital of France?"), ("author", "Who wrote Romeo and Juliet?"),
    ("colour", "What colour is the sky on a clear day?"), ("planet", "What is the largest planet of the solar system?"),
    ("metal", "Which metal is liquid at room temperature?"), ("gas", "Which gas do plants take in for photosynthesis?"),
    ("ocean", "What is the largest ocean?"), ("painter", "Who painted the Mona Lisa?"),
    ("language", "Which language is spoken in Brazil?"), ("opposite", "What is the opposite of \"hot\"?"),
    ("continent", "On which continent is Egypt?"), ("currency", "What is the currency of Japan?"),
    ("animal", "Which animal is called the king of the jungle?"), ("element", "Which element has the symbol O?"),
    ("season", "Which season comes after winter?"), ("city", "In which city is the Eiffel Tower?"),
    ("insect", "Which insect makes honey?"), ("president", "Who was the first president of the United States?"),
    ("organ", "Which organ pumps blood through the body?"), ("star", "Which star is closest to the Earth?"),
]

# Those of further draws.
OPEN_NEXT = [
    ("desert", "What is the largest hot desert in the world?"), ("composer", "Who composed the Moonlight Sonata?"),
    ("shape", "What do we call a shape with five sides?"), ("telephone", "Who invented the telephone?"),
    ("country", "In which country are the pyramids of Giza?"),
    ("bird", "Which bird cannot fly and lives in Antarctica?"),
    ("boiling", "At what temperature in degrees Celsius does water boil?"),
    ("moon", "What causes the tides of the sea?"),
    ("flower", "Which flower is the Netherlands famous for?"), ("sport", "In which sport is a shuttlecock used?"),
    ("blood", "What makes blood red?"), ("island", "What is the largest island in the world?"),
    ("philosopher", "Which philosopher taught Alexander the Great?"),
    ("salt", "What is the chemical name of table salt?"),
    ("month", "Which month has the fewest days?"), ("wall", "In which year did the Berlin Wall fall?"),
    ("instrument", "Which instrument has 88 keys?"), ("fruit", "What fruit is dried to make raisins?"),
    ("tree", "What kind of tree do acorns grow on?"), ("baby", "What is a baby kangaroo called?"),
    ("capital", "What is the capital of Australia?"), ("vitamin", "Which vitamin does sunlight help the body make?"),
    ("whale", "Is a whale a fish or a mammal?"), ("ship", "Which ship sank after it hit an iceberg in 1912?"),
]
DRAWN = ("test", "blind", "fresh")  # the labels whose questions further draws leave out
LATER = ("third", "fourth", "fifth")  # and those that draws after the third one leave out, too


def drawn(draw):
    """The questions of the labels of earlier draws."""
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "debate", "answer", "testdata")
    names = DRAWN if draw == "third" else DRAWN + LATER
    rows = [r for name in names for r in lines(here, f"labels-{name}.jsonl")]
    return {(r["family"], r["question"]) for r in rows if "question" in r}


def lines(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def questions(data, again=""):
    """All questions of a family, or only those of no draw before this one: id, question, options, passage."""
    q = {name: [] for name in KIND}
    for i, r in enumerate(lines(data, "gsm8k", "test.jsonl")):
        q["gsm8k"].append((f"test/{i}", r["question"], [], ""))
    for r in lines(data, "math500", "test.jsonl"):
        q["math500"].append((f"test/{r['id']}", r["problem"], [], ""))
    for r in lines(data, "mmlu", "test_sample_684.jsonl"):
        q["mmlu"].append((r["id"], r["question"], r["choices"], ""))
    for r in lines(data, "mmlu-pro", "test_sample_700.jsonl"):
        q["mmlu-pro"].append((str(r["question_id"]), r["question"], r["options"], ""))
    for name in ("logical_deduction_three_objects", "logical_deduction_five_objects",
                 "logical_deduction_seven_objects", "geometric_shapes"):
        with open(os.path.join(data, "bbh", name + ".json"), encoding="utf-8") as f:
            for i, r in enumerate(json.load(f)["examples"]):
                options = [line[4:] for line in r["input"].split("\n") if line.startswith("(")]
                q["bbh"].append((f"{name}/{i}", r["input"], options, ""))
    for r in lines(data, "strategyqa", "dev.jsonl"):
        q["strategyqa"].append((r["qid"], r["question"], [], ""))
    for r in lines(data, "squad2", "dev_sample_400.jsonl"):
        q["squad2"].append((r["id"], r["question"], [], r["context"]))
    with open(os.path.join(data, "ciar", "CIAR.json"), encoding="utf-8") as f:
        for i, r in enumerate(json.load(f)):
            q["ciar"].append((str(i), r["question"], [], ""))
    for r in lines(data, "musr", "murder_mysteries_sample.jsonl"):
        q["musr"].append((str(r["id"]), r.get("question", "Who is the most likely murderer?"),
                          r.get("choices", []), r["context"]))
    q["open"] = [(name, text, [], "") for name, text in (OPEN_NEXT if again else OPEN)]
    if again:
        old = drawn(again)
        for family in set(q) - {"open", "ciar", "musr"}:  # of which there are few
            q[family] = [one for one in q[family] if (family, one[0]) not in old]
    return q


SAMPLING = [(0.2, 0.9)] * 4 + [(0.7, 0.95)] * 2 + [(1.0, 1.0)]


def plan(data, style, per_family, draw="labels"):
    """The replies to ask for, so ordered that each beginning of the list has all families and formats."""
    further, seed, style_of = draw not in ("labels", *DRAWN), draw, (style if draw == "labels" else f"{draw}/{style}")
    asked = []
    for family, questions_of in questions(data, draw if further else "").items():
        formats = CHAT[family] if style == "chat" else base_prompts(family)
        draw = random.Random(f"{seed}/{family}/{style}")
        order = list(questions_of)
        draw.shuffle(order)
        names = sorted(formats)
        for i in range(per_family.get(family, per_family[""])):
            qid, q, options, passage = order[i % len(order)]
            name = names[(i + i // len(order)) % len(names)]
            temperature, top_p = SAMPLING[draw.randrange(len(SAMPLING))]
            prompt = formats[name].format(
                q=q, c=passage, o="\n".join(f"({LETTERS[j]}) {t}" for j, t in enumerate(options)),
                d="\n".join(f"{LETTERS[j]}. {t}" for j, t in enumerate(options)))
            asked.append(dict(name=f"{style_of}/{family}/{i}", family=family, kind=KIND[family], question=qid,
                              format=name, temperature=temperature, top_p=top_p, prompt=prompt, options=options,
                              asked=q))
    return sorted(asked, key=lambda a: (int(a["name"].rsplit("/", 1)[1]), a["family"]))


def ask(url, one, tokens, model):
    seed = int.from_bytes(hashlib.sha256(one["name"].encode()).digest()[:4], "big") >> 1
    body = json.dumps(dict(model=model, messages=[dict(role="user", content=one["prompt"])], max_tokens=tokens,
                           temperature=one["temperature"], top_p=one["top_p"], seed=seed)).encode()
    request = urllib.request.Request(url + "/v1/chat/completions", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=3600) as f:
        choice = json.load(f)["choices"][0]
    return dict(one, seed=seed, max_tokens=tokens, stop=choice["finish_reason"], reply=choice["message"]["content"])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", required=True)
    p.add_argument("--url", required=True)
    p.add_argument("--style", choices=["chat", "base"], required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--model", default="")
    p.add_argument("--tokens", type=int, default=200)
    p.add_argument("--draw", default="labels", help="other replies, of other questions, for another name")
    p.add_argument("--each", type=int, default=140, help="replies of a family")
    a = p.parse_args()
    with urllib.request.urlopen(a.url + "/v1/models") as f:
        model = a.model or json.load(f)["data"][0]["id"]
    asked = plan(a.data, a.style, {"": a.each, "musr": min(a.each, 15), "open": min(a.each, 60)}, a.draw)
    done = set()
    if os.path.exists(a.out):
        done = {json.loads(line)["name"] for line in open(a.out, encoding="utf-8")}
    with open(a.out, "a", encoding="utf-8") as out, concurrent.futures.ThreadPoolExecutor(64) as pool:
        todo = [one for one in asked if one["name"] not in done]
        for reply in pool.map(lambda one: ask(a.url, one, a.tokens, model), todo):
            out.write(json.dumps(dict(reply, model=model), ensure_ascii=False) + "\n")
            out.flush()
    print(len(asked), "replies in", a.out, file=sys.stderr)


if __name__ == "__main__":
    main()
