#!/bin/sh
# Evaluates the prompts; the endpoint is OPENAI_BASE_URL, and the output its argument.
promptfoo eval --config promptfooconfig.yaml --no-cache --output "${1:-output.json}"
