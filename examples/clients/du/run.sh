#!/bin/sh
# Holds the debates; the endpoint is OPENAI_BASE_URL, and the output its argument.
python debate.py >"${1:-debates.json}"
