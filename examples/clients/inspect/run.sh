#!/bin/sh
# Runs both tasks; the endpoint is OPENAI_BASE_URL, and the logs go to the directory that is its argument.
inspect eval shelf.py --model openai-api/openai/any --log-dir "${1:-logs}" --log-format json --display plain
