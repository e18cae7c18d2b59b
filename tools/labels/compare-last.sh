#!/bin/sh
# Makes the replies of the last sets of labels that parley compare asked for, as compare.sh does those of the fresh
# ones, at temperature 0.7 and of questions that no other set has:
#
#     tools/labels/compare-last.sh PARLEY CHAT.gguf BASE.gguf DATA OUT DRAW
#
# DRAW is seventh, eighth, ninth, tenth or eleventh.
set -eu
parley=$1 chat=$2 base=$3 data=$4 out=$5 draw=$6
. "$(dirname "$0")/asking.sh"
mkdir -p "$out"
python3 - "$(dirname "$0")" "$data" "$out" "$draw" <<'E2'
import json, os, sys
here, data, out, draw = sys.argv[1:]
sys.path.insert(0, here)
import generate

FILES = {"gsm8k": "gsm8k/test.jsonl", "math500": "math500/test.jsonl", "mmlu": "mmlu/test_sample_684.jsonl",
         "mmlu-pro": "mmlu-pro/test_sample_700.jsonl", "strategyqa": "strategyqa/dev.jsonl",
         "squad2": "squad2/dev_sample_400.jsonl", "bbh": "bbh/logical_deduction_five_objects.json"}
later = generate.later(data, draw)
for family, path in FILES.items():
    wanted = [one[0] for one in later[family]]
    os.makedirs(os.path.join(out, os.path.dirname(path)), exist_ok=True)
    with open(os.path.join(out, path), "w", encoding="utf-8") as f:
        if family == "bbh":
            with open(os.path.join(data, path), encoding="utf-8") as g:
                rows = json.load(g)
            name = os.path.basename(path).removesuffix(".json")
            kept = [r for i, r in enumerate(rows["examples"]) if f"{name}/{i}" in wanted]
            json.dump(dict(rows, examples=kept), f)
            continue
        for i, r in enumerate(generate.lines(data, path)):
            ids = {f"test/{i}", f"test/{r.get('id')}", r.get("id"), str(r.get("question_id")), r.get("qid")}
            if ids & set(wanted):
                f.write(json.dumps(r, ensure_ascii=False) + "\n")
with open(os.path.join(out, "open.jsonl"), "w", encoding="utf-8") as f:
    for one in later["open"]:
        f.write(json.dumps(dict(question=one[1], answer="unknown")) + "\n")
E2
while read -r family task questions agents; do
    [ -s "$out/$task" ] || continue # eleventh has other questions of StrategyQA than dev.jsonl
    ask "chat-$family" "$chat" "$out/$task" "$questions" 5500 --agents "$agents" --rounds "$agents" --temperature 0.7
done <<END
gsm8k gsm8k/test.jsonl 2 2
math500 math500/test.jsonl 4 1
mmlu mmlu/test_sample_684.jsonl 3 2
mmlu-pro mmlu-pro/test_sample_700.jsonl 4 1
bbh bbh/logical_deduction_five_objects.json 3 1
strategyqa strategyqa/dev.jsonl 3 2
squad2 squad2/dev_sample_400.jsonl 4 1
open open.jsonl 3 1
END
