#!/bin/sh
# Builds what a release consists of, into dist/: an archive for each platform that this machine can compile for, a
# Python wheel for those of Linux, and SHA256SUMS. An archive has the program, its manual pages and completions,
# documents, the licences of all that is linked into it, and a bill of materials.
#
#   tools/release.sh [PLATFORM...]     such as linux/arm64; default: all for which there is a compiler
#
# The program for linux/arm64 can be tried on another machine with qemu-user-static, after unpacking its archive:
# QEMU_LD_PREFIX=/usr/aarch64-linux-gnu qemu-aarch64-static ./parley debate --puzzle. Built with GCC 12, its version and
# a debate at temperature 0 ran there, with the text of the program for amd64.
#
# The programs run on CPUs of the last ten years; make build makes one for the CPU at hand, which is often faster. Their
# version is that of Go: the tag of the commit, or the time and hash of a commit that has none.
set -eu
cd "$(dirname "$0")/.."

for tool in git python3; do # before minutes of compiling
	command -v "$tool" >/dev/null || { echo "tools/release.sh: $tool is missing: install it" >&2; exit 1; }
done
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
mkdir -p dist

# The tools run here, whatever the programs are for.
for tool in licences sbom; do CGO_ENABLED=0 go -C tools build -o "$work/$tool" "./$tool"; done
make -s build ARCH="${ARCH:--march=native}"
here=bin/parley

# flags_for PLATFORM sets the compiler and the oldest CPU; it fails if there is no compiler.
flags_for() {
	case $1 in
	linux/amd64) cc=x86_64-linux-gnu-gcc cxx=x86_64-linux-gnu-g++ arch="-march=x86-64-v3" ;;
	linux/arm64) cc=aarch64-linux-gnu-gcc cxx=aarch64-linux-gnu-g++ arch="-march=armv8.2-a+dotprod+fp16" ;;
	darwin/amd64) [ "$(uname -s)" = Darwin ] && cc=clang cxx=clang++ arch="-march=x86-64-v3" ;;
	darwin/arm64) [ "$(uname -s)" = Darwin ] && cc=clang cxx=clang++ arch= ;;
	*) echo "release: platform $1 is unknown" >&2 && exit 2 ;;
	esac
	[ -n "${cc:-}" ] && command -v "$cc" >/dev/null && command -v "$cxx" >/dev/null
}

# package PLATFORM builds the program and packs it.
package() {
	os=${1%/*} cpu=${1#*/}
	static=
	[ "$os" = linux ] && static="-static-libstdc++ -static-libgcc"
	export CC="$cc" CXX="$cxx"
	environment=$(make -s env GOOS="$os" GOARCH="$cpu" ARCH="$arch")
	(
		eval "$environment"
		CGO_ENABLED=1 GOOS=$os GOARCH=$cpu CGO_LDFLAGS="$CGO_LDFLAGS $static" \
			go build -trimpath -buildvcs=true -ldflags "-s -w" -o "$work/parley" ./cmd/parley
	)
	llama=$(make -s llama GOOS="$os" GOARCH="$cpu" ARCH="$arch")
	unset CC CXX
	CGO_ENABLED=0 "$work/licences" -llama "$llama" ./cmd/parley >"$work/licences.txt"
	version=$(go version -m "$work/parley" | awk '$1 == "mod" { print $3 }' | tr + -)
	name=parley-$version-$os-$cpu
	root=$work/$name
	mkdir -p "$root/completions"
	mv "$work/parley" "$root/parley"
	cp -r README.md CHANGELOG.md LICENSE docs "$root/"
	rm -f "$root"/docs/*.go
	CGO_ENABLED=0 "$work/licences" -llama "$llama" -texts ./cmd/parley >"$root/LICENSES-OF-OTHERS.txt"
	"$work/sbom" "$root/parley" <"$work/licences.txt" >"$root/parley.cdx.json"
	"$here" man "$root/man" >/dev/null
	for shell in bash zsh fish; do "$here" completion "$shell" >"$root/completions/parley.$shell"; done
	tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-0}" -C "$work" -c "$name" |
		gzip -n9 >"dist/$name.tar.gz"
	[ "$os" = linux ] && python3 tools/wheel.py --program "$root/parley" --version "$version" --cpu "$cpu" --out dist \
		--licences "$root/LICENSES-OF-OTHERS.txt" --sbom "$root/parley.cdx.json"
	echo "dist/$name.tar.gz: $(wc -c <"dist/$name.tar.gz") bytes"
}

for platform in ${*:-linux/amd64 linux/arm64 darwin/arm64 darwin/amd64}; do
	cc= cxx= arch=
	if flags_for "$platform"; then
		package "$platform"
	elif [ $# -gt 0 ]; then
		echo "release: no compiler for $platform" >&2 && exit 1
	else
		echo "$platform: left out, since there is no compiler for it here"
	fi
done
(cd dist && sha256sum -- *.tar.gz $(ls ./*.whl 2>/dev/null) >SHA256SUMS)
