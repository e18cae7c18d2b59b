#!/bin/sh
# Two questions of one conversation; the endpoint is OPENAI_BASE_URL, and the output its argument.
set -e
out=${1:-/dev/stdout}
LLM_USER_PATH=$(mktemp -d) && export LLM_USER_PATH
sed "s|BASE_URL|$OPENAI_BASE_URL|" extra-openai-models.yaml >"$LLM_USER_PATH/extra-openai-models.yaml"
ask() { llm "$@" -m parley --key none -o max_tokens 40 -o seed 1; }
{
	ask 'A fruit stand sells plums, peaches and oranges. Which one is cheapest?' --system 'Be brief.'
	ask --continue 'Are you sure?' --no-stream
} >"$out"
