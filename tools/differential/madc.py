#!/usr/bin/env python3
"""Runs functions of MADC (SG-XM/AAAI2026-MADC) on random input and writes what they return.

    tools/differential/madc.py CHECKOUT OUTPUT_DIRECTORY

CHECKOUT is a working copy of its repository. Only answers, orders and the structure of messages are written
(README.md).
"""
import asyncio, contextlib, io, json, os, pathlib, random, re, shutil, sys, tempfile, types

from structure import functions, mask, write

TASK = "task"
ORDERS = "exchange I I1 I2 I3 I4 I41 I5 I6 I61 I7 M".split()
DETERMINISTIC = "B G H K L M I I1 I2 I3 I4 I41 I5 I6 I61 I7 O1 O2 O3 O4 O4I6 O4I61".split()
RANDOM = "N C E O".split()


# ---- the original, without its service -------------------------------------------------------


def stub(name, **names):
    module = types.ModuleType(name)
    vars(module).update(names)
    sys.modules[name] = module


class Service:
    """Takes the place of a client: replies with whatever say returns, and keeps what it was asked."""

    def __init__(self, say):
        self.say, self.asked = say, []
        self.chat = self.completions = self

    def create(self, messages, **_):
        self.asked.append([dict(m) for m in messages])
        text = self.say()
        return types.SimpleNamespace(json=lambda: json.dumps({"choices": [{"message": {"content": text}}]}))


def load(checkout):
    """The debate program as a module; it reads and writes below the working directory, which becomes a fresh one."""
    anything = lambda *_, **__: types.SimpleNamespace()
    stub("openai", OpenAI=anything, AsyncOpenAI=anything)
    stub("tqdm", tqdm=lambda x, **_: x)
    stub("numpy", mean=None, std=None, log2=None)
    sys.path.insert(0, str(checkout))
    os.chdir(tempfile.mkdtemp())
    shutil.copytree(checkout / "prompt", "prompt")
    import debate_bbh_qwen3b as program

    program.task_name = TASK
    for folder in (f"data/debate/{TASK}", f"results/debate/{TASK}"):
        os.makedirs(f"{program.MODEL_NAME}/{folder}")
    return program


def context(text):
    """An agent that has been asked once and replied."""
    return [{"role": "system", "content": ""}, {"role": "user", "content": ""}, {"role": "assistant", "content": text}]


def message(program, action, texts, question="", truth="(A)", original="", round=1):
    """The messages that each construct_..._message makes of the others' replies."""
    function = getattr(program, f"construct_exchange{'' if action == 'exchange' else action}_message")
    values = {
        "agents": [context(t) for t in texts],
        "question": question,
        "round": round,
        "gt": truth,
        "original_question": original,
    }
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    values["agents"] = [c + c[1:] * (round - 1) for c in values["agents"]]
    with contextlib.redirect_stdout(io.StringIO()):
        return function(**{n: values[n] for n in names})["content"]


# ---- cases -----------------------------------------------------------------------------------


def answers(program, draw):
    evaluate = sys.modules["eval_all_round"]
    pieces = [
        "(A)",
        "(B)",
        "(Q)",
        "(a)",
        "(AB)",
        "(12)",
        "(-3)",
        "(+3)",
        "(3.5)",
        "(\u0663)",
        "(Yes)",
        "(No)",
        "(yes)",
        "(YES)",
        "()",
        "(",
        ")",
        " ",
        "A",
        "7",
        "\n",
        "((C))",
        "so",
    ]
    cases = []
    for _ in range(700):
        text = "".join(draw.choices(pieces, k=draw.randint(0, 5)))
        first = evaluate.parse_answer(text)
        if first is None:
            first = evaluate.solve_math_problems(text)
        cases.append([text, first, first if first is not None else evaluate.parse_YN(text)])
    return cases


def letters(draw, most):
    """Answers of agents; a dot is none, a Y is read by the evaluation alone."""
    kinds = draw.choice(["AB", "AB.", "ABC.", "A..", "ABCDE", "AY.", "B."])
    return "".join(draw.choices(kinds, k=draw.randint(1, most)))


def reply(i, letter):
    return f"·{i}· " + {".": "none", "Y": "(Yes)"}.get(letter, f"({letter})")


def majorities(_, draw):
    evaluate, cases = sys.modules["eval_all_round"], []
    for _ in range(500):
        given = letters(draw, 9)
        _, decided = evaluate.compute_accuracy("(A)", [reply(i, l) for i, l in enumerate(given)])
        cases.append([given, decided])
    return cases


def orders(program, draw):
    found = {}
    for action in ORDERS:
        found["exchange" + action.removeprefix("exchange")] = cases = []
        for _ in range(150):
            given = letters(draw, 7)
            text = message(program, action, [reply(i, l) for i, l in enumerate(given)])
            cases.append([given, "".join(re.findall(r"```·(\d)·", text))])
    return found


def stepped(draw):
    pieces = [
        "Step ",
        "Step ",
        "Step ",
        "Step",
        "step ",
        "1: a",
        "2",
        "by step ",
        "\n",
        " ",
        "\x1c",
        "\u00a0",
        "\u200b",
        "so (A).",
        "NextStep ",
    ]
    return "".join(draw.choices(pieces, k=draw.randint(0, 12)))


def showings(program, draw):
    found = {}
    for action in ("O", "O1", "O2", "O3", "O4"):
        found["exchange" + action] = cases = []
        for _ in range(60):
            text = stepped(draw)
            cases.append([text, message(program, action, [text]).split("```")[1]])
    found["counts"] = {
        "exchange" + action: [message(program, action, ["Step x" * n]).split("```")[1].count("Step") for n in range(80)]
        for action in ("O", "O1", "O2", "O3")
    }
    before, after = message(program, "G", ["Step ·"]).split("Step ·\n\n")
    found["exchangeG"] = cases = []
    for _ in range(60):
        texts = [stepped(draw) for _ in range(draw.randint(1, 3))]
        cases.append([texts, message(program, "G", texts)[len(before) :][: -len(after)]])
    return found


def spoken(draw, number):
    """A reply with some steps and mostly an answer, all of it between dots."""
    parts = [f"·{number}·"] + [
        ("Step " if draw.random() < 0.8 else "") + f"·{number}.{k}·" for k in range(draw.randint(0, 3))
    ]
    parts.append(draw.choice(["·(A)·", "·(B)·", "·(B)·", "·(7)·", "·?·"]))
    return draw.choice([" ", "\n"]).join(parts)


def debates(program, draw):
    """Whole debates of the program's own main: expand, then the action twice."""
    cases = []
    summaries = program.client = Service(lambda: f"·summary {len(program.client.asked)}·")
    for action in DETERMINISTIC + RANDOM + ["A"]:
        for agents in (2, 4, 3) if action in ("B", "C", "E") else (draw.randint(2, 4),):
            actions = ["expand", "exchange" + action, "exchange" + action]
            replies = {}

            async def generate(asked):
                number = len(replies)
                replies[number] = spoken(draw, number)
                return {"choices": [{"message": {"content": replies[number]}}]}

            program.agenerate_answer, summaries.asked = generate, []
            examples = [{"input": f"·question {i}·", "target": "(A)", "question_id": str(i)} for i in range(250)]
            with open(f"{program.MODEL_NAME}/data/{TASK}.json", "w") as f:
                json.dump({"examples": examples}, f)
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                try:
                    asyncio.run(program.main(agents, len(actions), actions))
                except ValueError as error:  # exchangeH where nobody's answer can be read
                    if action != "H":
                        raise
            path = pathlib.Path(
                f"{program.MODEL_NAME}/results/debate/{TASK}/debate_{program.MODEL_NAME}_{agents}_3_"
                f"{'_'.join(actions)}_agent_com0_False.json"
            )
            # exchangeH fails somewhere among 250 cases, so it is called for each list of replies separately
            if not path.exists():
                cases += headed(program, draw)
                continue
            recorded = list(json.loads(path.read_text()).values())
            path.unlink()
            for k in range(2 if agents > 2 else 1):
                contexts, truth, number = recorded[k]
                cases.append(
                    case(
                        actions,
                        contexts,
                        f"·question {number}·",
                        random_action=action in RANDOM,
                        summary=action == "A",
                    )
                )
                if action == "A":
                    cases[-1]["summing"] = [[m["role"], mask(m["content"])] for m in summaries.asked[0]]
    return cases


def case(actions, contexts, question, random_action=False, summary=False):
    rounds = [[c[2 * r + 2]["content"] for c in contexts] for r in range(len(actions))]
    found = {
        "program": actions[1:],
        "question": question,
        "replies": rounds[:-1],
        "messages": [],
        "roles": [m["role"] for m in contexts[0]],
    }
    for r in range(1, len(actions)):
        texts = [c[2 * r + 1]["content"] for c in contexts]
        found["messages"].append([mask(t) for t in texts])
        # who was drawn, and in which order: by the number at the beginning of each reply or, if that is cut off, in
        # its steps
        if random_action:
            found.setdefault("heard", []).append(
                [[heard(block, rounds[r - 1]) for block in t.split("```")[1::2]] for t in texts]
            )
        if summary:
            found.setdefault("summaries", []).append([re.search(r"·summary \d+·", t).group(0) for t in texts])
    return found


def heard(block, replies):
    """Whose reply a block comes from; -1 if nothing is left of it."""
    number = re.search(r"·(\d+)", block)
    return next((i for i, r in enumerate(replies) if number and r.startswith(f"·{number.group(1)}·")), -1)


def headed(program, draw):
    """exchangeH called by itself, as the program's own selection calls it."""
    cases = []
    for _ in range(3):
        texts = [spoken(draw, i) for i in range(4)]
        question = program.parse_question_answer([{"input": "·q·", "target": "(A)", "question_id": "0"}], 0)[0]
        others = [texts[:i] + texts[i + 1 :] for i in range(4)]
        try:
            made = [mask(message(program, "H", o, question)) for o in others]
        except ValueError:
            continue
        cases.append({"program": ["exchangeH"], "question": "·q·", "replies": [texts], "messages": [made]})
    return cases


def percentages(program):
    """The percentage that exchangeD and exchangeE name, by the number of the action in the program."""
    number = lambda action, k: int(re.search(r"(-?\d+)%", message(program, action, ["·"], round=k)).group(1))
    return {"exchange" + action: [number(action, k) for k in range(1, 8)] for action in "DE"}


def failures(program, draw):
    """Actions that produce no message: as the program calls them, exchangeD fails and exchangeJ records nothing."""

    async def generate(_):
        return {"choices": [{"message": {"content": "·"}}]}

    program.agenerate_answer, found = generate, {}
    for action in ("exchangeD", "exchangeJ"):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            try:
                asyncio.run(program.main(3, 2, ["expand", action]))
                path = pathlib.Path(
                    f"{program.MODEL_NAME}/results/debate/{TASK}/"
                    f"debate_{program.MODEL_NAME}_3_2_expand_{action}_agent_com0_False.json"
                )
                found[action] = f"{len(json.loads(path.read_text()))} questions recorded"
            except (TypeError, IndexError) as error:
                found[action] = type(error).__name__
    return found


def reversals(checkout):
    """Functions of case_study.py, without the file itself, which asks at the terminal as soon as it is imported."""
    config, examples = (
        json.loads(pathlib.Path("prompt/fewshot_ost_config.json").read_text()),
        pathlib.Path("prompt/fewshot_ost_prompt.txt").read_text(),
    )
    solutions = {"question": "·q·", "(A)": [f"·A{i}·" for i in range(9)], "(B)": [f"·B{i}·" for i in range(9)]}
    client = Service(lambda: "")
    names = functions(
        checkout / "case_study.py",
        client=client,
        json=json,
        MODEL_NAME="",
        MODEL_TAG="",
        read_json=lambda _: solutions,
        fewshot_ost_config=config,
        fewshot_ost_prompt=examples,
    )
    names["cot"]("·q·")
    sampled, cases = client.asked[-1], []
    for order, function in {
        "correct-first": "gt_other",
        "incorrect-first": "other_gt",
        "alternating": "gt_other_alt",
    }.items():
        for hears in range(1, 9):
            names["exchange_messages_" + function](0, "(A)", "(B)", "(B)", 8, hears)
            asked = client.asked[-1]
            cases.append(
                {
                    "order": order,
                    "most": 8,
                    "hears": hears,
                    "roles": [m["role"] for m in asked],
                    "own": asked[1]["content"],
                    "heard": re.findall(r"```·(\w+)·```", asked[2]["content"]),
                    "message": mask(asked[2]["content"]),
                    "recalls the sampled question": asked[0] == sampled[0],
                    "recalls worked examples": examples in asked[0]["content"],
                }
            )
    return {"sampled roles": [m["role"] for m in sampled], "cases": cases}


def main(checkout, output):
    checkout, output = pathlib.Path(checkout).resolve(), pathlib.Path(output).resolve()
    program, draw = load(checkout), random.Random(13)
    random.seed(13)  # of the program
    found = {
        "answers": answers(program, draw),
        "majorities": majorities(program, draw),
        "orders": orders(program, draw),
        "showings": showings(program, draw),
        "percentages": percentages(program),
        "debates": debates(program, draw),
        "failures": failures(program, draw),
        "reversals": reversals(checkout),
    }
    write(output / "madc.json", found)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
