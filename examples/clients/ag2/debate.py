"""A group chat of AG2 (the autogen namespace): three agents in turn, two rounds, each under its name."""
import contextlib
import os
import sys

from autogen import AssistantAgent, GroupChat, GroupChatManager, UserProxyAgent

QUESTION = ("A fruit stand sells plums, kiwis and apples. The plums are less expensive than the kiwis. The apples are "
            "the most expensive. Which are the cheapest? (A) plums (B) kiwis (C) apples")

config = {"config_list": [{"model": "any", "base_url": os.environ["OPENAI_BASE_URL"], "api_key": "none",
                           "price": [0, 0]}], "max_tokens": 60, "cache_seed": None}
ASKED = "You are {}. Answer with one letter, and say why."
agents = [AssistantAgent(name, llm_config=config, system_message=ASKED.format(name)) for name in ("Ann", "Bob", "Eve")]
user = UserProxyAgent("User", human_input_mode="NEVER", code_execution_config=False)
chat = GroupChat([user, *agents], messages=[], max_round=7, speaker_selection_method="round_robin")
with contextlib.redirect_stdout(sys.stderr):  # what AG2 prints has identifiers that it draws at random
    user.initiate_chat(GroupChatManager(chat, llm_config=config), message=QUESTION)
for message in chat.messages:
    print(f"{message['name']}: {message['content']}")
