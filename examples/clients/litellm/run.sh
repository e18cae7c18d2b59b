#!/bin/sh
# Runs the program; the endpoint is OPENAI_BASE_URL, and the output its argument.
python ask.py >"${1:-/dev/stdout}"
