#!/bin/sh
# Installs the program, its manual pages and completions, and the licences of all that is linked into it:
#
#   make install PREFIX=/usr DESTDIR=/tmp/package     below /tmp/package/usr; by default below /usr/local
#
# DESTDIR is for packagers: it stands before every path, and the program does not know it.
set -eu
prefix=${PREFIX:-/usr/local} destination=${DESTDIR:-} program=${PROGRAM:-bin/parley}
case $prefix in
/*) ;;
*) echo "install: PREFIX=$prefix is no absolute path" >&2 && exit 1 ;;
esac
[ -z "$destination" ] || { mkdir -p "$destination" && destination=$(realpath "$destination"); }
cd "$(dirname "$0")/.."
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
share=$destination$prefix/share

put() { # MODE FILE DIRECTORY [NAME]
	install -d "$3" && install -m "$1" "$2" "$3/${4:-$(basename "$2")}"
}

CGO_ENABLED=0 go -C tools build -o "$work/licences" ./licences
"$work/licences" ${LLAMA:+-llama "$LLAMA"} -texts ./cmd/parley >"$work/LICENSES-OF-OTHERS.txt"
"$program" man "$work/man" >/dev/null
for shell in bash zsh fish; do "$program" completion "$shell" >"$work/$shell"; done

put 755 "$program" "$destination$prefix/bin" parley
for page in "$work"/man/*.1; do put 644 "$page" "$share/man/man1"; done
put 644 "$work/bash" "$share/bash-completion/completions" parley
put 644 "$work/zsh" "$share/zsh/site-functions" _parley
put 644 "$work/fish" "$share/fish/vendor_completions.d" parley.fish
for text in LICENSE CHANGELOG.md "$work/LICENSES-OF-OTHERS.txt"; do put 644 "$text" "$share/doc/parley"; done
echo "$destination$prefix/bin/parley, with manual pages, completions and licences below $share"
