"""Asks a server by OpenAI's SDK: a chat, a stream, an object that follows a JSON schema, several samples."""
import json

from openai import OpenAI

client = OpenAI()  # reads OPENAI_BASE_URL and OPENAI_API_KEY
question = [{"role": "user", "content": "A fruit stand sells plums, peaches and oranges. Which one is cheapest?"}]

reply = client.chat.completions.create(model="any", messages=question, max_tokens=24, temperature=0)
print("chat:", reply.choices[0].message.content)

events = client.chat.completions.create(model="any", messages=question, max_tokens=24, temperature=0, stream=True,
                                        stream_options={"include_usage": True})
pieces = [event.choices[0].delta.content or "" for event in events if event.choices]
print("stream:", "".join(pieces))
assert "".join(pieces) == reply.choices[0].message.content

schema = {"type": "object", "properties": {"answer": {"enum": ["plums", "peaches", "oranges"]},
                                           "sure": {"type": "boolean"}},
          "required": ["answer", "sure"], "additionalProperties": False}
reply = client.chat.completions.create(
    model="any", messages=question, max_tokens=40, seed=1,
    response_format={"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}})
answer = json.loads(reply.choices[0].message.content)
print("json_schema:", answer)
assert answer["answer"] in ("plums", "peaches", "oranges") and isinstance(answer["sure"], bool)

reply = client.chat.completions.create(model="any", messages=question, max_tokens=8, n=5, seed=1, logprobs=True)
for choice in reply.choices:
    print("sample:", choice.message.content, sum(token.logprob for token in choice.logprobs.content))

vectors = client.embeddings.create(model="any", input=["plums", "peaches"])
print("embeddings:", len(vectors.data), "of", len(vectors.data[0].embedding), "numbers")
