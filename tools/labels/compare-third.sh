#!/bin/sh
# Makes the replies of the third and fifth set of labels that parley compare asked for, as compare.sh does those of the
# fresh ones:
#
#     tools/labels/compare-third.sh PARLEY CHAT.gguf BASE.gguf DATA OUT FOUNDRY
#
# FOUNDRY is a git repository of mosaicml/llm-foundry, which has CommonsenseQA, BoolQ and SVAMP.
set -eu
parley=$1 chat=$2 base=$3 data=$4 out=$5 foundry=$6
. "$(dirname "$0")/asking.sh"
mkdir -p "$out"
open_questions <<'END'
What is the smallest country in the world?|Vatican City
Which gas makes up most of the air?|nitrogen
Who composed The Four Seasons?|Antonio Vivaldi
What is the capital of Canada?|Ottawa
Which metal is the main part of steel?|iron
What do caterpillars turn into?|butterflies
Which sea lies between Europe and Africa?|Mediterranean Sea
Who discovered penicillin?|Alexander Fleming
What is the largest organ of the human body?|skin
Which language has the most native speakers?|Mandarin Chinese
In which year did World War II end?|1945
What is the hardest natural substance?|diamond
Who wrote Don Quixote?|Miguel de Cervantes
What is the name of the galaxy in which we live?|Milky Way
Which bird cannot fly and lives in Antarctica?|penguin
What is the main ingredient of bread?|flour
END
python3 - "$foundry" "$out" <<'E'
import json, subprocess, sys
git, out = sys.argv[1:]


def rows(path):
    show = ["git", "-C", git, "show", "HEAD:scripts/eval/local_data/" + path]
    text = subprocess.run(show, capture_output=True, check=True).stdout.decode()
    return [json.loads(line) for line in text.split("\n") if line]


def put(name, questions):
    with open(f"{out}/{name}.jsonl", "w") as f:
        f.writelines(json.dumps(q) + "\n" for q in questions)


def asked(row):
    question, choices = row["query"].split("Choices:\n")
    return dict(question=question.split("\n")[0].removeprefix("Question: "),
                choices=[line[3:] for line in choices.split("\n") if line[1:3] == ". "],
                answer=row["choices"][row["gold"]])


put("csqa", map(asked, rows("commonsense_reasoning/commonsense_qa.jsonl")))
put("boolq", [dict(question=r["query"], answer=r["choices"][r["gold"]])
              for r in rows("reading_comprehension/boolq.jsonl") if len(r["query"]) < 900])
put("svamp", [dict(question=r["context"], answer=r["answer"])
              for r in rows("symbolic_problem_solving/svamp.jsonl")])
E
ask_all 7700 6600 <<END
gsm8k $data/gsm8k/test.jsonl 6 5 2
math500 $data/math500/test.jsonl 12 5 1
mmlu $data/mmlu/test_sample_684.jsonl 6 5 2
mmlu-pro $data/mmlu-pro/test_sample_700.jsonl 12 4 1
bbh3 $data/bbh/logical_deduction_three_objects.json 6 3 1
bbh5 $data/bbh/logical_deduction_five_objects.json 6 3 1
strategyqa $data/strategyqa/dev.jsonl 6 5 2
squad2 $data/squad2/dev_sample_400.jsonl 14 5 1
ciar $data/ciar/CIAR.json 12 4 1
musr $data/musr/murder_mysteries_sample.jsonl 4 3 1
open $out/open.jsonl 14 5 1
csqa $out/csqa.jsonl 10 4 1
boolq $out/boolq.jsonl 10 4 1
svamp $out/svamp.jsonl 10 4 1
END
