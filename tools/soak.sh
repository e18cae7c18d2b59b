#!/bin/sh
# Runs every test of random input and every fuzz target for a time each, in the environment of `make env`:
#
#	tools/soak.sh 10m                                    all of them, each for ten minutes
#	tools/soak.sh 100000x 'TestMutants|FuzzTemplate'     these, for so many rounds each
#
# It goes on after a failure, names all failures at its end, and ends with 1 then. What a fuzzer finds it adds to the
# testdata of its package, where every later `go test` tries it.
set -u
cd "$(dirname "$0")/.."
each=${1:-10m} names=${2:-.}
output=$(mktemp) && trap 'rm -f "$output"' EXIT

# targets prints "package name" of every fuzz target, and of every test in a file that asks package soak.
targets() {
	{
		grep -rE --include='*_test.go' '^func Fuzz' .
		grep -rlE --include='*_test.go' '"parley/soak"' . | xargs grep -HE '^func Test'
	} | sed -E 's|^(.*)/[^/]*:func ([A-Za-z]+).*|\1 \2|' | grep -E " ($names)" | sort -u
}

failed=""
while read -r package name; do
	case $name in
	# The fuzzer instruments what it builds, so that it would compile llama.cpp once more.
	Fuzz*) how="-tags llama_none -run ^$ -fuzz ^$name$ -fuzztime $each" ;;
	*) how="-run ^$name$" ;;
	esac
	echo "== $package $name"
	# shellcheck disable=SC2086 # the words of how are arguments
	PARLEY_SOAK=$each go test "$package" -count 1 -v -timeout 0 $how >"$output" 2>&1 || failed="$failed $package:$name"
	grep -vE '^(=== |PASS$|ok )' "$output" | tail -n 30
done <<END
$(targets)
END
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
