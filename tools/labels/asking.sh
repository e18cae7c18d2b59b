# What compare.sh and compare-third.sh share, who set parley, chat, base and out before.

# open_questions reads lines of a question and its answer, with | between them, and writes $out/open.jsonl.
open_questions() {
    while IFS='|' read -r question answer; do
        printf '{"question":"%s","answer":"%s"}\n' "$question" "$answer"
    done >"$out/open.jsonl"
}

ask() { # STYLE-FAMILY MODEL FILE QUESTIONS SEED, and further flags
    name=$1 model=$2 task=$3 questions=$4 seed=$5
    shift 5
    "$parley" compare --task "$task" --model "$model" --conditions single --questions "$questions" --seed "$seed" \
        --closing=false --max-tokens 200 --threads 1 --out "$out/$name" "$@" </dev/null
    "$parley" export "$out/$name" --out "$out/$name"
}

# ask_all CHAT_SEED BASE_SEED reads lines of a family, its file, how many questions each model is asked, and how many
# agents answer. The n-th family has the n-th seed after those.
ask_all() {
    number=0
    while read -r family task questions of_base agents; do
        number=$((number + 1))
        ask "chat-$family" "$chat" "$task" "$questions" $(($1 + number)) --agents "$agents" --rounds "$agents"
        ask "base-$family" "$base" "$task" "$of_base" $(($2 + number)) --agents 1 --rounds 1 --chat-template plain
    done
}
