"""Two agents of OpenAI's Agents SDK: it asks /v1/responses, without state, and one of them calls a function."""
import asyncio

from agents import Agent, ModelSettings, Runner, function_tool, set_tracing_disabled
from pydantic import BaseModel

set_tracing_disabled(True)  # it would send what was said to OpenAI
QUESTION = "A fruit stand sells plums, kiwis and apples. Which are the cheapest?"


class Verdict(BaseModel):
    right: bool


@function_tool
def price(fruit: str) -> str:
    """Tells the price of a fruit."""
    return f"{len(fruit)} cents"


settings = ModelSettings(temperature=0, max_tokens=60)
speaker = Agent("Ann", instructions="Answer in one sentence.", model="any", model_settings=settings)
judge = Agent("Judge", instructions="Say whether the answer is right.", model="any", model_settings=settings,
              output_type=Verdict)
clerk = Agent("Clerk", instructions="Look the price up.", model="any", tools=[price],
              model_settings=ModelSettings(temperature=0, max_tokens=60, tool_choice="required"),
              tool_use_behavior="stop_on_first_tool")


async def main():
    said = await Runner.run(speaker, QUESTION)
    print("Ann:", said.final_output)
    streamed = Runner.run_streamed(speaker, QUESTION)
    text = "".join([event.data.delta async for event in streamed.stream_events()
                    if event.type == "raw_response_event" and event.data.type == "response.output_text.delta"])
    assert text == streamed.final_output == said.final_output, (text, streamed.final_output)
    judged = await Runner.run(judge, said.to_input_list() + [{"role": "user", "content": "Was that right?"}])
    print("Judge:", judged.final_output)
    found = await Runner.run(clerk, "What do plums cost?")
    print("Clerk:", found.final_output)
    assert found.final_output.endswith(" cents")


asyncio.run(main())
