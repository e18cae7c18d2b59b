#!/usr/bin/env python3
"""Runs functions of MALLM's program (Multi-Agent-LLMs/mallm) on random input and writes what they return.

    tools/differential/mallm.py CHECKOUT OUTPUT_DIRECTORY

CHECKOUT is a working copy of its repository. Only how ballots are read and counted, who agrees, and which messages an
agent sees are written.
"""
import copy, importlib.abc, importlib.machinery, json, logging, pathlib, random, sys, types


class Anything(types.ModuleType):
    """A module with any attribute: the functions that are run here need none of these packages."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(
            name, (), {"__init__": lambda self, *a, **k: None, "print": lambda self, *a, **k: None, "width": 80}
        )


class Stubs(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return (
            None
            if name.split(".")[0] in ("mallm", *sys.stdlib_module_names)
            else importlib.machinery.ModuleSpec(name, self, is_package=True)
        )

    def create_module(self, spec):
        return Anything(spec.name)

    def exec_module(self, module):
        pass


def load(checkout):
    sys.meta_path.insert(0, Stubs())
    sys.path.insert(0, str(checkout))
    sys.modules["mallm.evaluation.plotting.plots"] = Anything("plots")
    logging.disable(logging.CRITICAL)


def people(n):
    return [types.SimpleNamespace(persona=f"agent {i}", short_id=str(i)) for i in range(n)]


# ---- ballots -----------------------------------------------------------------------------------


def number(r, n):
    return r.choice(
        [str(r.randrange(n)), str(r.randrange(n)), str(n), "-1", "1.0", "True", '"1"', "'0'", " 2 ", "007", "one", ""]
    )


def points(r):
    return r.choice(
        [
            str(r.randrange(11)),
            str(r.randrange(6)),
            "10",
            "5",
            "5",
            "10.0",
            "5.5",
            "4.9",
            "True",
            "False",
            '"5"',
            "-5",
            "15",
            "1e1",
            "five",
        ]
    )


def simple(r, n):
    return r.choice(["", "Solution ", "I vote for ", "**"]) + number(r, n) + r.choice(["", ".", " because of 2", "\n"])


def approval(r, n):
    return r.choice([",", ", ", " ,", ";"]).join(number(r, n) for _ in range(r.randrange(4)))


def ranked(r, n):
    return r.choice([" ", "  ", "\n", ", "]).join(number(r, n) for _ in range(r.randrange(7)))


def cumulative(r, n):
    keys = (
        r.sample(range(n), r.randrange(1, n + 1))
        if r.random() < 0.8
        else [r.randrange(n + 1) for _ in range(r.randrange(4))]
    )
    if r.random() < 0.6:  # that add up
        left, shares = 10, []
        for _ in keys[1:]:
            shares.append(r.randrange(left + 1))
            left -= shares[-1]
        shares = [str(s) for s in shares + [left]]
    else:
        shares = [points(r) for _ in keys]
    quote = r.choice(["", '"', '"', "'"])
    body = (
        "{"
        + r.choice([",", ", ", ",\n "]).join(
            f"{quote}{k}{quote}{r.choice([':', ': '])}{s}" for k, s in zip(keys, shares)
        )
        + "}"
    )
    return (
        r.choice(["", "", "", "", "", "```json\n", "My points: ", " "])
        + body
        + r.choice(["", "", "", "", "\n```", " ", "."])
    )


def ballots(r):
    from mallm.decision_protocols.approval_voting import ApprovalVoting
    from mallm.decision_protocols.cumulative_voting import CumulativeVoting
    from mallm.decision_protocols.ranked_voting import RankedVoting
    from mallm.decision_protocols.simple_voting import SimpleVoting
    from mallm.utils.enums import DecisionAlteration

    kinds = {"simple": (SimpleVoting, simple), "approval": (ApprovalVoting, approval),
             "cumulative": (CumulativeVoting, cumulative), "ranked": (RankedVoting, ranked)}
    # beside a neutral agent, who has no vote but is counted among the agents, only ranks have other weights
    for name, neutral in [("simple", 0), ("approval", 0), ("cumulative", 0), ("ranked", 0), ("ranked", 1)]:
        kind, write = kinds[name]
        for _ in range(250):
            n = r.randrange(2, 6)
            replies, votes = [write(r, n) for _ in range(r.randrange(1, 5))], []
            protocol = kind.__new__(kind)
            protocol.panelists, protocol.total_agents = people(n + 1), n + neutral
            read = []
            for reply in replies:
                try:
                    ok = protocol.process_votes(["x"] * n, protocol.panelists[0], reply, votes, "")[2]
                except Exception:
                    ok = False
                read.append(bool(ok))
            winner = -1
            if votes:
                result = protocol.process_results({}, DecisionAlteration.PUBLIC, [str(i) for i in range(n)], votes)
                result = result[DecisionAlteration.PUBLIC.value]
                winner = int(result.final_answer) if result.agreed else -1
            yield {"rule": name, "candidates": n, "agents": n + neutral, "replies": replies, "read": read,
                   "winner": winner}


# ---- agreement ---------------------------------------------------------------------------------


def consensus(r):
    from mallm.decision_protocols.consensus import (
        HybridMajorityConsensus,
        MajorityConsensus,
        SupermajorityConsensus,
        UnanimityConsensus,
    )

    kinds = [
        ("majority", MajorityConsensus),
        ("supermajority", SupermajorityConsensus),
        ("unanimity", UnanimityConsensus),
        ("hybrid", HybridMajorityConsensus),
    ]
    for i in range(600):
        name, kind = kinds[i % 4]
        panelists, neutral = r.randrange(1, 7), r.randrange(2)
        total = panelists + neutral
        records = []
        for _ in range(r.randrange(1, 2 * total + 2)):
            agrees = r.choice([True, True, True, False, None])
            solution = "" if agrees and r.random() < 0.8 else r.choice(["A", "B", ""])
            records.append({"agrees": agrees, "solution": solution})
        protocol = kind.__new__(kind)
        try:
            protocol.__init__(people(panelists), neutral, None)
        except Exception:
            protocol.panelists, protocol.total_agents = people(panelists), total
        protocol.total_agents = total
        turn = r.randrange(1, 8)
        given = [types.SimpleNamespace(agreement=x["agrees"], solution=x["solution"]) for x in records]
        solution, reached, *_ = protocol.make_decision(given, turn, total - 1, "", "", None)
        yield {
            "rule": name,
            "panelists": panelists,
            "agents": total,
            "turn": turn,
            "records": records,
            "reached": bool(reached),
            "solution": solution if reached else "",
        }


# ---- who sees what -----------------------------------------------------------------------------


def views(r):
    """Runs the paradigm debate with agents that say nothing, and records which messages each is shown."""
    for drafting in ("none", "first", "every"):
        for agents in (2, 3, 4, 5):
            for rounds in (1, 2, 3):
                shown = discussed(r, agents, rounds, 2, drafting)
                yield {"agents": agents, "rounds": rounds, "turns": 2, "drafting": drafting, "messages": shown}


def full(r):
    """Runs it with all turns to be held, and a decision after the first turn."""
    for agents in (2, 3):
        held = discussed(r, agents, 1, 3, "none", full=True, decided=True)
        yield {"agents": agents, "turns": 3, "held": len(held) // agents}


class Console:
    width = 80

    def __init__(self, *_, **__):
        pass

    def print(self, *_, **__):
        pass


def discussed(r, agents, rounds, turns, drafting, full=False, decided=False):
    """The messages of a debate: who said each, and which earlier ones it was shown."""
    from mallm.agents.panelist import Panelist
    from mallm.coordinator import Coordinator
    from mallm.discussion_paradigms.debate import DiscussionDebate

    shown = []

    class Says:
        def __init__(self, agent):
            self.agent = agent

        def generate_improve(self, filling, *_):
            sees = [int(m["content"].split("#")[-1]) for m in filling.agent_memory or []]
            shown.append({"agent": self.agent, "sees": sees})
            return types.SimpleNamespace(message=f"#{len(shown) - 1}", agreement=r.random() < 0.5, solution="x")

        generate_draft = generate_improve

    coordinator = types.SimpleNamespace(memory=[], judge=None, id="x", update_memories=Coordinator.update_memories)
    coordinator.agents = [Panelist(None, None, coordinator, Says(i), f"agent {i}", "") for i in range(agents)]
    for a in coordinator.agents:
        a.drafting_agent = True
    coordinator.panelists = coordinator.agents
    coordinator.decision_protocol = types.SimpleNamespace(
        make_decision=lambda given, *_: ("", decided, given, "", None)
    )
    config = types.SimpleNamespace(
        debate_rounds=rounds,
        skip_decision_making=full,
        max_turns=turns,
        visible_turns_in_memory=2,
        all_agents_generate_first_draft=drafting == "first",
        all_agents_generate_draft=drafting == "every",
        judge_always_intervene=False,
    )
    paradigm = DiscussionDebate(rounds)
    paradigm.print_messages = lambda *_, **__: None
    paradigm.discuss(coordinator, "task", "input", "", config, Console())
    return shown


def main():
    checkout, output = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    load(checkout)
    for name, cases in [("ballots", ballots), ("consensus", consensus), ("views", views), ("full", full)]:
        with open(output / f"mallm-{name}.jsonl", "w") as f:
            for case in cases(random.Random(4)):
                f.write(json.dumps(case) + "\n")


main()
