"""A debate in the manner of Du et al. (2023), Improving Factuality and Reasoning in Language Models through Multiagent
Debate: their program asks one agent after the other, without a seed, and repeats the same prompt for each agent in the
first round. This one has the shape of its requests and is our own."""
import json
import sys

from openai import OpenAI

client = OpenAI()  # reads OPENAI_BASE_URL and OPENAI_API_KEY
agents, rounds = 3, 2
questions = [f"Ada has {n} plums and buys {n + 2} more. She eats one. How many plums does she have?"
             for n in range(2, 2 + int(sys.argv[1] if len(sys.argv) > 1 else 4))]


def answer(conversation):
    """Asks for the next message of a conversation, as the original does: a fixed model, one choice, nothing else."""
    reply = client.chat.completions.create(model="gpt-3.5-turbo-0301", messages=conversation, n=1)
    return {"role": "assistant", "content": reply.choices[0].message.content}


def others(conversations, at):
    """The message that shows an agent what the others said last."""
    said = "".join(f"\n\nOne agent's solution: ```{c[-1]['content']}```"
                   for i, c in enumerate(conversations) if i != at)
    return {"role": "user", "content": "These are the solutions of the other agents:" + said + "\n\nUse them as "
            "additional information. What is your answer to the question now? Give one number at the end."}


results = {}
for question in questions:
    conversations = [[{"role": "user", "content": question + " Explain your answer, and give one number at the end."}]
                     for _ in range(agents)]
    for turn in range(rounds):
        said = [list(c) for c in conversations]
        for i, conversation in enumerate(conversations):
            if turn > 0:
                conversation.append(others([c[:2 * turn] for c in said], i))
            conversation.append(answer(conversation))
    results[question] = conversations
json.dump(results, sys.stdout, indent=1)
