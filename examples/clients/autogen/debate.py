"""Three agents of AutoGen answer in turn, two rounds; each hears the others under their names."""
import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_ext.models.openai import OpenAIChatCompletionClient

QUESTION = ("A fruit stand sells plums, kiwis and apples. The plums are less expensive than the kiwis. The apples are "
            "the most expensive. Which are the cheapest? (A) plums (B) kiwis (C) apples")


async def main():
    model = OpenAIChatCompletionClient(  # reads OPENAI_BASE_URL and OPENAI_API_KEY
        model="any", max_tokens=60, model_info={"vision": False, "function_calling": False, "json_output": True,
                                                "structured_output": True, "family": "unknown"})
    agents = [AssistantAgent(name, model, system_message=f"You are {name}. Answer with one letter, and say why.")
              for name in ("Ann", "Bob", "Eve")]
    team = RoundRobinGroupChat(agents, termination_condition=MaxMessageTermination(7))
    result = await team.run(task=QUESTION)
    for message in result.messages:
        print(f"{message.source}: {message.content}")


asyncio.run(main())
