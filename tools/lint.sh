#!/bin/sh
# Runs the checks of `make lint`, in the environment of `make env`:
#
#	tools/lint.sh                      everything
#	tools/lint.sh complexity width     these two
#
# It goes on after a failure; at its end it names the failed checks and exits with 1. Exceptions are listed with their
# reasons in tools/unreachable.txt and tools/wide.txt. An entry that is no longer needed fails the check as well.
set -u
cd "$(dirname "$0")/.."
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

tool() {
	go tool -modfile=tools/go.mod "$@"
}

# same LIST FOUND: the sorted lines of FOUND are the entries of LIST, whose reasons stand in comments above them.
same() {
	sed '/^#/d; /^$/d' "$1" | sort >"$work/listed"
	diff "$work/listed" "$2" >"$work/difference" && return
	echo "$1 differs from what was found (< listed, > found):"
	grep '^[<>]' "$work/difference"
	return 1
}

format() {
	unformatted=$(gofmt -l .) && test -z "$unformatted" || { echo "run gofmt -w on $unformatted"; return 1; }
}

# cplusplus: the C++ has the form that .clang-format describes, where clang-format is installed.
cplusplus() {
	if clang-format --dump-config >/dev/null 2>&1; then
		clang-format --dry-run -Werror kernels/*.?pp kernels/*.h kernels/check/*.cpp \
			inference/llamacpp/*.?pp inference/llamacpp/*.h
	else
		echo "no clang-format 16 or newer: the form of the C++ files was not checked"
	fi
}

vet() {
	go vet ./...
}

# elsewhere: everything compiles without cgo; the program without llama.cpp, its tests and the tools compile for systems
# on which nothing else is tried (docs/platforms.md).
elsewhere() (
	export CGO_ENABLED=0
	GOFLAGS= go build ./... || { echo "without cgo it does not compile" && exit 1; }
	export GOFLAGS=-tags=llama_none
	for platform in windows/amd64 darwin/arm64; do
		export GOOS=${platform%/*} GOARCH=${platform#*/}
		go vet ./... && go -C tools vet ./... && go build -o "$work/parley" ./cmd/parley ||
			{ echo "for $platform it does not compile" && exit 1; }
	done
)

static() {
	tool staticcheck ./...
}

# dead: every function of the program is called, or listed. The list has no line numbers, which would change.
dead() {
	tags=$(go env GOFLAGS | sed -n 's/.*-tags=\([^ ]*\).*/\1/p')
	names='{{range .Funcs}}{{printf "%s.%s\n" $.Path .Name}}{{end}}'
	tool deadcode -tags "$tags" -f "$names" ./cmd/... >"$work/dead" || return 1
	grep -v -e /modeltest -e /debatetest -e /benchtest -e /terminaltest -e /parleytest -e /datatest -e '/soak\.' \
		"$work/dead" | sort >"$work/found"
	same tools/unreachable.txt "$work/found"
}

# complexity only reports, as shape does, where a reader has most to hold in mind: a number that fails is met, and then
# measures nothing any more.
complexity() {
	tool gocyclo -top 10 -ignore '_test\.go' . | awk '{ print "lint complexity: " $1 " paths: " $2 " " $3 ", " $4 }'
}

# width: 120 columns for code, 100 for pages in docs.
width() {
	go -C tools build -o "$work/width" ./width && "$work/width" . tools/wide.txt
}

# licences: those of all modules in the program are among the ones that releases may contain.
licences() {
	go -C tools build -o "$work/licences" ./licences &&
		"$work/licences" ${LLAMA:+-llama "$LLAMA"} ./cmd/parley >/dev/null
}

# shape only reports: the packages with most files, and a picture that is out of date.
shape() {
	git ls-files '*.go' | grep -v _test.go | xargs -n 1 dirname | sort | uniq -c | sort -rn | head |
		awk '{ print "lint shape: " $1 " files: " $2 }'
	go -C tools run ./architecture .. >"$work/drawn" && cmp -s "$work/drawn" docs/architecture.svg ||
		echo "lint shape: docs/architecture.svg is out of date: make architecture draws it"
}

failed=""
for check in ${*:-format cplusplus vet elsewhere static dead complexity width licences shape}; do
	begun=$(date +%s)
	"$check" || failed="$failed $check"
	echo "lint $check: $(($(date +%s) - begun)) s"
done
[ -z "$failed" ] || { echo "lint failed:$failed" >&2; exit 1; }
