#!/bin/sh
# Makes the replies of the fresh labels that parley compare asked for, by the prompts, rules and sampling that it takes
# by itself, and exports them as OUT/STYLE-FAMILY.replies.csv:
#
#     tools/labels/compare.sh PARLEY CHAT.gguf BASE.gguf DATA OUT
#
# The model without instruction tuning is asked behind the template plain. A label's id names the style, the family, the
# number of the question, the round and the agent.
set -eu
parley=$1 chat=$2 base=$3 data=$4 out=$5
. "$(dirname "$0")/asking.sh"
mkdir -p "$out"
open_questions <<'END'
What is the longest bone in the human body?|femur
Which mountain is the highest on Earth?|Mount Everest
What is the capital of Italy?|Rome
Who painted The Starry Night?|Vincent van Gogh
Who was the first person to walk on the moon?|Neil Armstrong
Which element has the symbol Au?|gold
In which continent is the Sahara desert?|Africa
What do bees collect from flowers?|nectar
Who wrote the novel 1984?|George Orwell
Which planet is known as the Red Planet?|Mars
What is frozen water called?|ice
Which city is known for its leaning tower?|Pisa
What is the currency of the United Kingdom?|pound sterling
Which scientist formulated the law of universal gravitation?|Isaac Newton
Which river flows through London?|Thames
What is a young dog called?|puppy
END
ask_all 8800 9900 <<END
gsm8k $data/gsm8k/test.jsonl 9 4 2
math500 $data/math500/test.jsonl 12 4 1
mmlu $data/mmlu/test_sample_684.jsonl 9 4 2
mmlu-pro $data/mmlu-pro/test_sample_700.jsonl 14 4 1
bbh7 $data/bbh/logical_deduction_seven_objects.json 6 3 1
bbhg $data/bbh/geometric_shapes.json 6 3 1
strategyqa $data/strategyqa/dev.jsonl 8 4 2
squad2 $data/squad2/dev_sample_400.jsonl 14 5 1
ciar $data/ciar/CIAR.json 10 4 1
musr $data/musr/murder_mysteries_sample.jsonl 4 3 1
open $out/open.jsonl 14 8 1
END
