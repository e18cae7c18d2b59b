#!/bin/sh
# Runs each test on random input and each fuzz target for some time, in the environment of `make env`:
#
#	tools/soak.sh 10m                                    all of them, each for ten minutes
#	tools/soak.sh 100000x 'TestMutants|FuzzTemplate'     these, for so many rounds each
#
# It goes on after a failure; at its end it names all failures and exits with 1. Inputs that a fuzzer finds are added to
# the testdata of the package, so that every later `go test` runs them.
set -u
cd "$(dirname "$0")/.."
each=${1:-10m} names=${2:-.}
output=$(mktemp) && trap 'rm -f "$output"' EXIT

# targets prints package and name of each fuzz target, and of each test that asks package soak how long to go on, by
# itself or as a simulation (bench/stat).
targets() {
	find . -name '*_test.go' | while read -r file; do
		awk -v package="$(dirname "$file")" '
			/^func / { name = $2; sub(/\(.*/, "", name) }
			/^func Fuzz/ { print package, name }
			/soak\.(More|On)\(|simulation\(t,/ && name ~ /^Test/ { print package, name }
		' "$file"
	done | grep -E " ($names)" | sort -u
}

list=$(targets)
[ -n "$list" ] || { echo "no test on random input has a name like $names" >&2; exit 1; }
failed=""
while read -r package name; do
	case $name in
	# The fuzzer instruments what it builds, so that it would compile llama.cpp once more.
	Fuzz*) how="-tags llama_none -run ^$ -fuzz ^$name$ -fuzztime $each" ;;
	*) how="-run ^$name$" ;;
	esac
	echo "== $package $name"
	# shellcheck disable=SC2086 # the words of how are arguments
	PARLEY_SOAK=$each go test "$package" -count 1 -v -timeout 0 $how >"$output" 2>&1 &&
		! grep -q '^testing: warning: no ' "$output" || failed="$failed $package:$name"
	grep -vE '^(=== |PASS$|ok )' "$output" | tail -n 30
done <<END
$list
END
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
