"""A small eval for inspect_ai: multiple choice, and a number as JSON that follows a schema."""
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, ResponseSchema
from inspect_ai.scorer import choice, includes
from inspect_ai.solver import generate, multiple_choice
from inspect_ai.util import JSONSchema


@task
def shelf():
    """Which book is leftmost?"""
    return Task(
        dataset=MemoryDataset([
            Sample(input=f"On a shelf, there are three books: a red book, a gray book, and a {c} book. The {c} book is "
                   "to the left of the gray book. The red book is the second from the left. Which is the leftmost?",
                   choices=["The red book", "The gray book", f"The {c} book"], target="C")
            for c in ("white", "blue", "green", "black")]),
        solver=multiple_choice(), scorer=choice(), config=GenerateConfig(max_tokens=48, seed=1))


@task
def sums():
    """Small sums, answered as JSON."""
    schema = JSONSchema(type="object", properties={"sum": JSONSchema(enum=list(range(20)))}, required=["sum"],
                        additionalProperties=False)
    return Task(
        dataset=MemoryDataset([Sample(input=f"What is {a} plus {b}?", target=f'"sum": {a + b}')
                               for a, b in ((2, 3), (4, 1), (7, 2), (5, 5))]),
        solver=generate(), scorer=includes(),
        config=GenerateConfig(max_tokens=24, temperature=0, logprobs=True, top_logprobs=2,
                              response_schema=ResponseSchema(name="sum", json_schema=schema, strict=True)))
