#!/bin/sh
# Checks the program's dependencies: known vulnerabilities in code that it calls, and the licences of all modules that
# it is built from. The first check needs https://vuln.go.dev, or a copy that GOVULNDB names; without either it is
# skipped and the reason is printed.
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
