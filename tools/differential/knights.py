"""Runs debates in Wu et al.'s program on random replies, most of them damaged, and writes what it makes of them.

The output is for debate/knights/differential_test.go.

    python3 knights.py --checkout DIR --out ../../debate/testdata/differential/knights.json

DIR is a checkout of haolun-wu/ControlMAD. No model is asked: each agent has a script. A case is a debate: its players,
its depth, the script of each agent, and the roles after each reply and of the final vote.
"""

import argparse
import contextlib
import io
import json
import logging
import random
import sys
import tempfile
import types

import originals

SEED = 13
ROLES = ["knight", "knave", "spy"]
WHY = [
    "so it is",
    "the manager says so",
    "a contradiction",
    "he said \\\"x\\\" twice",
    "{one} way",
    "line\\nbreak",
    "consistent with all",
]


def solution(r, players):
    """A reply about all players as it was asked for, or nearly."""
    rows = []
    for p in players:
        if r.random() < 0.1:
            continue
        name = p if r.random() < 0.95 else r.choice([p.lower(), p + "x", "Eve"])
        role = r.choice(ROLES) if r.random() < 0.95 else r.choice(["Knight", "jester", ""])
        rows.append((name, role))
    why = '"explanation": "%s"' % r.choice(WHY)
    if r.random() < 0.3:
        why = '"confidence": %s, ' % r.choice(["7", "0", "99", '"8"', '"sure"', "null", "6.5"]) + why
    form = r.random()
    if form < 0.75:
        return '{"players": [%s], %s}' % (", ".join('{"name": "%s", "role": "%s"}' % row for row in rows), why)
    return "{%s, %s}" % (", ".join('"%s": "%s"' % row for row in rows), why) if rows else "{%s}" % why


def stance(r, player, others):
    parts = ['"player_role": "%s"' % player, '"role": "%s"' % r.choice(ROLES)] if r.random() < 0.85 else []
    agree = [a for a in others if r.random() < 0.5]
    parts += ['"agree_with": %s' % json.dumps(agree), '"agree_reasoning": "%s"' % r.choice(WHY)]
    parts += [
        '"disagree_with": %s' % json.dumps([a for a in others if a not in agree]),
        '"disagree_reasoning": "%s"' % r.choice(WHY),
    ]
    return "{" + ", ".join(parts) + "}"


def damaged(r, reply):
    """JSON with the mistakes that models make."""
    kind = r.randrange(14)
    if kind == 0:
        return r.choice(
            [
                "I cannot decide.",
                "",
                "{",
                "no",
                '"players"',
                "Noah: knave, Liam: spy, Emma: knight",
                "Noah is a knight.",
            ]
        )
    if kind == 1:
        return reply.replace("{", "{{").replace("}", "}}")
    if kind == 2:
        return reply[: r.randrange(1, len(reply))]
    if kind == 3:
        return reply.replace("so it is", 'he said "x". Suppose Noah: knight.').replace(
            "a contradiction", 'a "contradiction", or so'
        )
    if kind == 4:
        return "I think {so}.\n```json\n" + reply + "\n```"
    if kind == 5:
        return "Here it is:\n" + reply + '\nI hope that {"players": []} helps.'
    if kind == 6:
        at = r.randrange(len(reply))
        return reply[:at] + reply[at + 1 :]
    if kind == 7:
        return reply.replace("}, {", ", {", 1)
    if kind == 8:
        return reply.replace('"}]', '"]', 1)
    if kind == 9:
        return reply[:-1] + r.choice(["", ' "', ",", ', "more": "text', '"} } (Note: done.)'])
    if kind == 10:
        return reply.replace(": ", r.choice([":", " :\u00a0", " :\n "]))
    if kind == 11:
        return reply.replace('"', "'")
    if kind == 12:
        return reply.replace(", ", ",\n", 3).replace("line\\n", "line\n")
    return reply


def scripts(r, players, agents, depth):
    """What each agent says, in the order in which it is asked."""
    all_of = {}
    for a in agents:
        others, said = [b for b in agents if b != a], [solution(r, players)]
        for p in players:
            said += [stance(r, p, others) for _ in range(depth)] + [solution(r, players)]
        said.append(solution(r, players))
        all_of[a] = [damaged(r, s) if r.random() < 0.5 else s for s in said]
    return all_of


def load(checkout):
    """The program, without the clients of its providers."""
    for name, attribute in (("openai", "OpenAI"), ("google", "genai"), ("google.genai", "types")):
        module = types.ModuleType(name)
        setattr(module, attribute, types.SimpleNamespace())
        sys.modules.setdefault(name, module)
    sys.path.insert(0, checkout)
    from debate.debate_config import AgentConfig, DebateConfig
    from debate.debate_system_chat import ChatHistoryDebateSystem
    from utils.project_types import ground_truth

    return AgentConfig, DebateConfig, ChatHistoryDebateSystem, ground_truth


def hold(program, players, said, depth, out):
    agent_config, debate_config, system, ground_truth = program

    class Scripted(system):
        def _initialize_agents(self):
            for c in self.config.agents:
                lines = iter(said[c.name])
                client = types.SimpleNamespace(
                    chat_completion=lambda lines=lines, **_: types.SimpleNamespace(text=next(lines), error="")
                )
                self.agents[c.name] = {"config": c, "client": client}

        def _save_debate_session(self, session):
            pass

        def _ensure_log_file_handler(self):
            pass

    config = debate_config(
        agents=[agent_config(name=a, provider="ali", model="none") for a in said], depth=depth, output_path=out
    )
    text = "".join("%s is a knight.\n" % p for p in players)
    game = ground_truth(1, len(players), 0, 0, [], [], [], "".join("Player name: %s\n" % p for p in players), text)
    with contextlib.redirect_stdout(io.StringIO()):
        session = Scripted(config).run_debate_session(game)
    return roles(session, players, said, depth)


def roles(session, players, said, depth):
    """By agent and reply: the roles of all players, or of the one who was debated.

    Those of the final replies are in the vote alone.
    """

    def of(response):
        return [response.player_role_assignments.get(p) for p in players]

    read = {a: [of(p)] for a, p in zip(said, session.initial_proposals)}
    for n, debate in enumerate(session.debate_rounds):
        for response in debate.agent_responses:
            read[response.agent_name].append(
                response.player_role_assignments.get("role") if response.phase == "debate" else of(response)
            )
    return [read[a] for a in said], [session.final_vote.get(p) for p in players]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--checkout", required=True)
    p.add_argument("--out", required=True)
    args = p.parse_args()
    program, r, cases = load(args.checkout), random.Random(SEED), []
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as out:
        for _ in range(70):
            players = ["Noah", "Liam", "Emma"][: r.choice([2, 2, 3])]
            depth = r.choice([1, 1, 2])
            said = scripts(r, players, ["Agent 1", "Agent 2", "Agent 3"], depth)
            read, vote = hold(program, players, said, depth, out)
            cases.append({"players": players, "depth": depth, "said": list(said.values()), "read": read, "vote": vote})
    originals.write(args.out, originals.commit(args.checkout), SEED, cases)


if __name__ == "__main__":
    main()
