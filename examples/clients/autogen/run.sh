#!/bin/sh
# Holds the debate; the endpoint is OPENAI_BASE_URL, and the output its argument.
python debate.py >"${1:-/dev/stdout}"
