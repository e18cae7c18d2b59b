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

# Those of the seventh to the ninth draw, which share no question.
OPEN_LAST = """
What is the capital of Portugal?|Who painted Guernica?|What is the largest mammal on Earth?|Which planet has
the most moons?|Who wrote Pride and Prejudice?|What is the chemical symbol of iron?|Which country has the
largest population?|What is the fastest land animal?|Who developed the theory of relativity?|What is the
longest river in Africa?|In which city is the Colosseum?|Which organ filters the blood and makes urine?|What
do pandas eat?|Who was the first woman to win a Nobel Prize?|What is the opposite of "ancient"?|Which ocean
lies between Africa and Australia?|What is the main language of Egypt?|How many players does a football team
have on the field?|What is the freezing point of water in degrees Celsius?|Which instrument measures air
pressure?|Who is the author of The Old Man and the Sea?|What do we call a doctor for children?|Which metal has
the symbol Ag?|What is the largest bone of the leg?|Which month comes after April?|Where do polar bears
live?|What is the national animal of Australia?|Who sang "Thriller"?|What is the largest lake in Africa?|Which
gas do humans breathe out?|What is the name of the fairy in Peter Pan?|In which country was chess
invented?|Which vitamin do oranges have much of?|What is the smallest prime number?|Who discovered
radium?|What do you call the study of plants?|Which fruit do we make wine from?|What is the currency of
India?|What is the capital of Kenya?|Which animal has a trunk?|What is the hottest planet of the solar
system?|Who wrote The Hobbit?|What is the largest country by area?|Which sea is too salty for fish?|In which
year did the Titanic sink?|What is the square root of 81?|Which bird is a symbol of peace?|Who is the Greek
god of the sea?|What is the tallest animal?|What is bread made from?|Which part of a plant makes food from
sunlight?|What is the capital of Argentina?|Who was the first man in space?|What is the process by which a
liquid becomes a gas?|Which colour do you get from blue and yellow?|In which country is Machu Picchu?|What do
you call a group of wolves?|Which blood cells fight infections?|Who wrote the play Hamlet?|What is the highest
mountain in Europe?|Which language do people speak in Austria?|What is the study of stars called?|How many
strings does a violin have?|Which tree loses its leaves in autumn?|What is the name of the toy cowboy in Toy
Story?|Which scientist proposed natural selection?|What is the largest desert in Asia?|What is the home of a
bee called?|Which company makes the iPhone?|What is the main gas of the Sun?|Who was the queen of Egypt who
loved Mark Antony?|What is the first letter of the Greek alphabet?|In which season do leaves fall?|Which
planet has the biggest rings?|What is the capital of Norway?|Who invented the light bulb?|What is a baby cat
called?|Which sport is played at Wimbledon?
""".replace("\n", " ").strip().split("|")

# And those of the tenth and the eleventh.
OPEN_TENTH = """
What is the capital of Finland?|Who wrote The Odyssey?|Which bird lays the largest egg?|What is the deepest
ocean?|Which planet is closest to the Sun?|Who invented the printing press?|What is the largest organ inside
the human body?|Which country gave the Statue of Liberty to the United States?|What do you call a person who
makes bread?|How many days does a leap year have?|Which metal do we use for electric wires?|What is the
capital of Turkey?|Who painted The Last Supper?|Which animal do we get wool from?|What is the longest river in
the world?|In which year did World War I begin?|What is the symbol of sodium?|Who was the first president of
South Africa after apartheid?|What is the largest island of Japan?|Which instrument did Chopin play?|What is a
group of fish called?|Which sense do we use our nose for?|Where is the Great Barrier Reef?|What is the main
ingredient of chocolate?
""".replace("\n", " ").strip().split("|")

OPEN_ELEVENTH = """
What is the capital of Sweden?|Who wrote The Divine Comedy?|Which animal builds dams?|What is the longest wall
in the world?|Which planet has a day longer than its year?|Who discovered America in 1492?|What is the main
language of Mexico?|Which organ do we think with?|What do you call a house for cars?|How many sides does a
hexagon have?|Which metal rusts?|What is the capital of Greece?|Who painted The Scream?|Which animal gives us
honey?|What is the largest waterfall in Africa?|In which year did humans first land on the Moon?|What is the
chemical symbol of silver?|Who wrote the opera The Magic Flute?|Which ocean is west of Portugal?|How many legs
does an insect have?|What is a group of lions called?|Which language is spoken in Iran?|Where is the Statue of
Liberty?|What is glass made from?
""".replace("\n", " ").strip().split("|")

DRAWN = ("test", "blind", "fresh")  # the labels whose questions further draws leave out
LATER = ("third", "fourth", "fifth")  # and those that draws after the third one leave out, too
# Those at temperature 0.7, of questions of no draw before, nor of each other.
LAST = ("seventh", "eighth", "ninth", "tenth", "eleventh")


def drawn(draw):
    """The questions of the labels of earlier draws."""
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "debate", "answer", "testdata")
    names = DRAWN if draw == "third" else DRAWN + LATER + (("sixth",) if draw in LAST else ())
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
    if again == "eleventh":  # the others of its test set, as BIG-bench has them
        seen = {one[1] for one in q["strategyqa"]}
        q["strategyqa"] = [(f"bigbench/{i}", r["question"], [], "")
                           for i, r in enumerate(lines(data, "strategyqa", "bigbench-task.jsonl"))
                           if r["question"] not in seen]
    for r in lines(data, "squad2", "dev_sample_400.jsonl"):
        q["squad2"].append((r["id"], r["question"], [], r["context"]))
    with open(os.path.join(data, "ciar", "CIAR.json"), encoding="utf-8") as f:
        for i, r in enumerate(json.load(f)):
            q["ciar"].append((str(i), r["question"], [], ""))
    for r in lines(data, "musr", "murder_mysteries_sample.jsonl"):
        q["musr"].append((str(r["id"]), r.get("question", "Who is the most likely murderer?"),
                          r.get("choices", []), r["context"]))
    q["open"] = [(name, text, [], "") for name, text in (OPEN_NEXT if again else OPEN)]
    if again in LAST:
        q["open"] = [(text, text, [], "") for text in
                     {"tenth": OPEN_TENTH, "eleventh": OPEN_ELEVENTH}.get(again, OPEN_LAST)]
    if again:
        old = drawn(again)
        for family in set(q) - {"open", "ciar", "musr"}:  # of which there are few
            q[family] = [one for one in q[family] if (family, one[0]) not in old]
    return q


def own_questions(family, all_of, draw):
    """The questions of one of the last draws."""
    order = sorted(all_of, key=lambda one: hashlib.sha256(f"{family}/{one[0]}".encode()).digest())
    parts = [order[part::3] for part in range(3)]
    if draw in LAST[3:]:  # what the others left
        left = order if len(order) <= len(OPEN_TENTH) else [one for part in parts for one in part[28:-6]]
        return left if draw == "tenth" or len(left) < 60 else left[24:-6]
    return parts[LAST.index(draw)]


def later(data, draw):
    """By family, the questions of one of the last draws that parley compare asks."""
    return {family: own_questions(family, all_of, draw)[-6:] for family, all_of in questions(data, draw).items()}


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
        if seed in LAST and len(order) > 60:
            order = own_questions(family, questions_of, seed)[style == "base"::2]
        names = sorted(formats)
        for i in range(per_family.get(family, per_family[""])):
            qid, q, options, passage = order[i % len(order)]
            name = names[(i + i // len(order)) % len(names)]
            temperature, top_p = (0.7, 0.95) if seed in LAST else SAMPLING[draw.randrange(len(SAMPLING))]
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
    p.add_argument("--at-once", type=int, default=64)
    a = p.parse_args()
    with urllib.request.urlopen(a.url + "/v1/models") as f:
        model = a.model or json.load(f)["data"][0]["id"]
    few = 5 if a.draw in LAST else 15
    asked = plan(a.data, a.style, {"": a.each, "musr": min(a.each, few), "open": min(a.each, 60)}, a.draw)
    done = set()
    if os.path.exists(a.out):
        done = {json.loads(line)["name"] for line in open(a.out, encoding="utf-8")}
    with open(a.out, "a", encoding="utf-8") as out, concurrent.futures.ThreadPoolExecutor(a.at_once) as pool:
        todo = [one for one in asked if one["name"] not in done]
        for reply in pool.map(lambda one: ask(a.url, one, a.tokens, model), todo):
            out.write(json.dumps(dict(reply, model=model), ensure_ascii=False) + "\n")
            out.flush()
    print(len(asked), "replies in", a.out, file=sys.stderr)


if __name__ == "__main__":
    main()
