"""LangChain: a chat, a stream, an answer that follows a class of Pydantic, and embeddings."""
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import BaseModel, Field

QUESTION = "A fruit stand sells plums, peaches and oranges. Which one is cheapest?"


class Answer(BaseModel):
    fruit: str = Field(pattern="^(plums|peaches|oranges)$")
    confidence: float = Field(ge=0, le=1)


model = ChatOpenAI(model="any", max_tokens=40, temperature=0)  # reads OPENAI_BASE_URL and OPENAI_API_KEY
whole = model.invoke(QUESTION).content
print("chat:", whole)
streamed = "".join(piece.content for piece in model.stream(QUESTION))
assert streamed == whole, streamed

answer = ChatOpenAI(model="any", max_tokens=80, seed=1).with_structured_output(Answer).invoke(QUESTION)
print("answer:", answer)

# LangChain would send tokens of OpenAI's tokenizer, which are others than the model's; so it sends the texts.
vectors = OpenAIEmbeddings(model="any", check_embedding_ctx_length=False).embed_documents(["plums", "peaches"])
print("embeddings:", [sum(vector) for vector in vectors])
