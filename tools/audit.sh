#!/bin/sh
# Looks up the program's dependencies: known vulnerabilities in what it calls, and the licences of what it is built
# from. The first needs https://vuln.go.dev (or a copy that GOVULNDB names) and is skipped with a reason without it.
set -u
cd "$(dirname "$0")/.."
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
output=$work/output
status=0

go tool -modfile=tools/go.mod govulncheck ./... >"$output" 2>&1 || status=$?
if grep -q "fetching vulnerabilities" "$output"; then
	reason=$(grep -m 1 "fetching vulnerabilities" "$output")
	echo "vulnerabilities: skipped, since the database cannot be read: $reason"
	status=0
else
	cat "$output"
fi

go -C tools build -o "$work/licences" ./licences && "$work/licences" ./cmd/parley || status=1
exit "$status"
