"""litellm: a chat, a stream and several samples, as other libraries ask through it."""
import os

import litellm

QUESTION = [{"role": "user", "content": "A fruit stand sells plums, peaches and oranges. Which one is cheapest?"}]
server = {"model": "hosted_vllm/any", "api_base": os.environ["OPENAI_BASE_URL"], "api_key": "none"}

reply = litellm.completion(messages=QUESTION, max_tokens=40, temperature=0, **server)
print("chat:", reply.choices[0].message.content)
events = litellm.completion(messages=QUESTION, max_tokens=40, temperature=0, stream=True, **server)
streamed = "".join(event.choices[0].delta.content or "" for event in events)
assert streamed == reply.choices[0].message.content, streamed

reply = litellm.completion(messages=QUESTION, max_tokens=20, n=3, seed=1, **server)
for choice in reply.choices:
    print("sample:", choice.message.content)
reply = litellm.completion(messages=QUESTION, max_tokens=20, guided_choice=["plums", "peaches", "oranges"], **server)
print("choice:", reply.choices[0].message.content)
assert reply.choices[0].message.content in ("plums", "peaches", "oranges")
reply = litellm.text_completion(prompt="Plums are", max_tokens=10, temperature=0, model="text-completion-openai/any",
                                api_base=server["api_base"], api_key="none")
print("text:", reply.choices[0].text)
