#!/bin/sh
# MALLM's memory paradigm on four questions; the endpoint is OPENAI_BASE_URL, and the output its argument.
export PYTHONPATH="$PWD/without-hub"
mallm-run --input_json_file_path questions.json --output_json_file_path "${1:-discussions.json}" \
	--endpoint_url "$OPENAI_BASE_URL" --api_key "${OPENAI_API_KEY:-none}" --model_name any \
	--task_instruction_prompt 'Answer the question with the letter of one option.' \
	--num_agents 3 --max_turns 2 --agent_generator nopersona --decision_protocol simple_voting \
	--concurrent_api_requests 4
