#!/bin/sh
# Moves to another llama.cpp, for `make llama-bump SOURCE=FILE [CRATE='NAME VERSION'] [ARCHIVE=URL]`: an archive of its
# sources, and the Rust package and the address in which others find them. It puts the new one into
# third_party/llama.lock and the architectures that it knows into models/architecture.go, says what it changes in bits
# and in speed, and runs what may notice. Nothing is committed; if something fails, both files are as they were.
#
# SANITIZE=1 also runs `make asan`, half an hour on 2 cores.
set -eu
cd "$(dirname "$0")/.."
source=${1:-} crate=${2:-} archive=${3:-}
[ -f "$source" ] || { echo "make llama-bump: name an archive of the sources: SOURCE=FILE" >&2; exit 2; }
unset MAKEFLAGS MAKEOVERRIDES SOURCE CRATE ARCHIVE # of the make that runs this: they would count for each make below
lock=third_party/llama.lock list=models/architecture.go work=build/bump
rm -rf "$work" && mkdir -p "$work"
cp "$lock" "$work/old.lock"
cp "$list" "$work/old.list"
trap '[ $? = 0 ] || { cp "$work/old.lock" "$lock"; cp "$work/old.list" "$list"
	echo "make llama-bump: failed; $lock is as it was" >&2; }' EXIT
trap 'exit 1' INT TERM

models=tiny
if real=$(tools/real-models.sh); then
	models="$models $real/smollm2-135m-instruct.q4_1.gguf $real/gemma3-270m.q4_k_m.gguf"
fi
# compute NAME builds the program and has it answer the same questions on each model, at temperature 0.
compute() {
	make -s build && cp bin/parley "$work/$1"
	for model in $models; do
		run=$work/$(basename "$model" .gguf) template=
		case $model in *gemma*) template="--chat-template plain" ;; esac # a base model has none
		for kernels in parley flash; do
			"$work/$1" compare --generated 6 --conditions single,mad --temperature 0 --max-tokens 64 --seed 1 \
				--model "$model" $template --kernels $kernels --out "$run-$kernels-$1" >"$work/output" 2>&1 ||
				{ cat "$work/output" >&2; exit 1; }
		done
	done
}
echo "== the old library"
compute old
new=$(CGO_ENABLED=0 go -C tools run ./llama -lock -source "$(realpath "$source")")
{
	sed '/^version/,$d' "$lock"
	echo "$new" | head -n 1
	printf '\n# SHA-256 of its files, however they were packed (tools/llama/source.go, treeHash). Others are refused.\n'
	echo "$new" | tail -n 1
	[ -z "$crate" ] ||
		printf '\n# A Rust package with these files, which cargo brings from where its settings say.\ncrate %s\n' \
			"$crate"
	[ -z "$archive" ] || printf "\n# llama.cpp's own archive of the release.\narchive %s\n" "$archive"
} >"$work/new.lock"
cp "$work/new.lock" "$lock"
{
	sed '/`$/q' "$work/old.list"
	CGO_ENABLED=0 go -C tools run ./llama -architectures -source "$(realpath "$source")" | tr '\n' ' ' | fold -sw 110 |
		sed 's/^/\t/; s/ *$//; $s/$/`)/'
	printf '\n' && sed '1,/`)$/d' "$work/old.list"
} >"$list"
echo "== the new library: $(echo "$new" | head -n 1)"
make -s build SOURCE="$source" # from now on it is in the cache, also where no place has it yet
compute new

echo "== what changed: replies with another text, and with another log-probability"
for old in "$work"/*-old; do
	[ -d "$old" ] || continue
	for which in old new; do "$work/new" export "${old%-old}-$which" --out "$work/$which" >/dev/null; done
	printf '%s: ' "$(basename "${old%-old}")"
	python3 - "$work/old.replies.csv" "$work/new.replies.csv" <<'END'
import csv, sys
csv.field_size_limit(1 << 30)
old, new = (list(csv.DictReader(open(f, newline=""))) for f in sys.argv[1:])
assert len(old) == len(new) > 0, (len(old), len(new))
other = {column: sum(a[column] != b[column] for a, b in zip(old, new)) for column in ("text", "logprob")}
print(f"{other['text']} and {other['logprob']} of {len(old)}")
END
done
echo "== what changed: tokens in a second, three runs each in turns"
for round in 1 2 3; do
	for which in old new; do
		printf '%s %s: ' "$which" "$round"
		"$work/$which" bench --small --repeats 1 --kernels flash w1 2>/dev/null |
			grep '│ w1'
	done
done
echo "== tests: binding, families, goldens, invariance, real models, demo"
make test PACKAGES="./inference/... ./debate/protocol"
make kernels demo real
[ -z "${SANITIZE:-}" ] || make asan SOURCE="$source"

echo "== $lock and $list have changed: read the pages of the new version for functions that went and structs that"
echo "   grew, and say in the commit what moved"
