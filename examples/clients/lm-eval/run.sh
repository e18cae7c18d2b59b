#!/bin/sh
# Scores the task by log-likelihoods, then asks the same questions in chats and reads the letters; the endpoint is
# OPENAI_BASE_URL. Needs no tokenizer of the hub.
lm_eval run --model local-completions --tasks shelf --include_path . --output_path "${1:-results}" --log_samples \
	--model_args "model=any,base_url=$OPENAI_BASE_URL/completions,tokenizer_backend=remote,num_concurrent=1" &&
	lm_eval run --model local-chat-completions --tasks shelf_chat --include_path . --output_path "${1:-results}" \
		--log_samples --apply_chat_template \
		--model_args "model=any,base_url=$OPENAI_BASE_URL/chat/completions,num_concurrent=8"
