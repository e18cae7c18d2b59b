#!/bin/bash
# Plays somebody who has just cloned Parley, in a root file system made for it: read-only system directories, an empty
# home, no network but this machine's own, and of caches only llama.cpp and Go's modules and compiled packages. It types
# what README.md says into a terminal of 80 columns, and compares what stands there with tools/newcomer.golden, without
# times and what depends on the machine. UPDATE=1 rewrites that file: read the difference.
#
# It needs Linux with unshare (user, mount, network and process namespaces), tmux, python3, and git.
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD

if [ "${1:-}" != inside ]; then
	for tool in unshare tmux python3 git; do
		command -v "$tool" >/dev/null || { echo "newcomer: left out: there is no $tool here" >&2 && exit 0; }
	done
	unshare --user --map-root-user --mount --net --pid --fork true 2>/dev/null ||
		{ echo "newcomer: left out: this machine does not allow namespaces" >&2 && exit 0; }
	work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
	git clone -q "$here" "$work/parley"
	make -s llama >/dev/null
	llama=${XDG_CACHE_HOME:-$HOME/.cache}/parley/llama
	work=$work modules=$(go env GOMODCACHE) built=$(go env GOCACHE) goroot=$(go env GOROOT) llama=$llama \
		unshare --user --map-root-user --mount --net --pid --fork "$0" inside
	sed -E \
		-e 's/[0-9]{8}-[0-9]{6}/TIME/g' \
		-e 's/(reader-[a-z]+)-[0-9]+/\1-VERSION/' \
		-e 's/[0-9]+ generations and [0-9]+ debates/N generations and N debates/' \
		-e 's/^[0-9,]+ replies were taken/N replies were taken/' \
		-e 's/ +[0-9.]+ s │$/    TIME │/' \
		-e 's/[0-9]+, [0-9]+ +│$/SPEED │/' \
		-e 's/[0-9.]+ .iB are free/SPACE is free/' "$work/screens" |
		awk '/^(plan|generated|batches|prompt tokens|generations ) / { skip = 1; next }
			skip && /^      / { next }
			/^[0-9,]+ debates: [0-9,]+ questions / { getline; next } # of two lines, with a time
			{ skip = 0; print }' | cat -s >"$work/got"
	[ -z "${UPDATE:-}" ] || cp "$work/got" tools/newcomer.golden
	diff -u tools/newcomer.golden "$work/got" && echo "newcomer: as expected"
	exit
fi

# Inside the namespaces: the root file system.
root=$work/root home=$work/root/home/newcomer
mkdir -p "$root" && mount -t tmpfs root "$root"
mkdir -p "$root"/{usr,etc,dev,proc,tmp} "$home"/{parley,shelf}
ln -s usr/bin "$root/bin" && ln -s usr/sbin "$root/sbin" && ln -s usr/lib "$root/lib" && ln -s usr/lib64 "$root/lib64"
for directory in usr etc; do
	mount --bind "/$directory" "$root/$directory" && mount -o remount,bind,ro "$root/$directory"
done
mount --rbind /dev "$root/dev" && mount -t proc proc "$root/proc"
# Under their own paths: what is compiled depends on them.
for directory in "$goroot" "$modules" "$built" "$llama"; do
	mkdir -p "$root$directory" && mount --bind "$directory" "$root$directory"
done
mkdir -p "$home/.cache/parley/llama" && mount --bind "$llama" "$home/.cache/parley/llama" # and where it is looked for
mount --bind "$work/parley" "$home/parley"
cp "$work/parley/models/tiny/tiny.gguf" "$home/shelf/small.gguf"
ip link set lo up

newcomer() { # a command as the newcomer's shell runs it
	env -i HOME=/home/newcomer PATH="$goroot/bin:/usr/bin:/bin" TERM=xterm-256color LANG=C.UTF-8 PS1='$ ' GOPROXY=off \
		GOTOOLCHAIN=local GOFLAGS=-buildvcs=false GOMODCACHE="$modules" GOCACHE="$built" \
		/usr/sbin/chroot "$root" /bin/sh -c 'cd ~/parley && exec "$@"' sh "$@"
}

newcomer python3 -m http.server --bind 127.0.0.1 --directory /home/newcomer/shelf 8000 >/dev/null 2>&1 &
newcomer true || { echo "newcomer: the root file system does not work" >&2; exit 1; }
terminal() { tmux -S "$work/tmux" -f /dev/null "$@"; }
screen() { terminal capture-pane -p -S - | sed -E 's/ +$//'; }
shell=$(declare -f newcomer)
cat >"$work/shell" <<EOF
#!/bin/bash
root=$root goroot=$goroot modules=$modules built=$built
$shell
newcomer sh
EOF
chmod +x "$work/shell"
terminal new-session -d -x 80 -y 50 "$work/shell"
terminal set-option -g history-limit 5000

wait_for() { # seconds, and what the last lines of the screen have to match
	for _ in $(seq $(($1 * 5))); do
		if screen | sed -e '/^$/d' | tail -n 2 | grep -qE "$2"; then return; fi
		sleep 0.2
	done
	echo "newcomer: no $2 within $1 s:" >&2 && screen >&2 && exit 1
}

type() { # seconds, command, and optionally a pattern on which Ctrl-C is pressed
	terminal send-keys -l "$2" && terminal send-keys Enter
	if [ -n "${3:-}" ]; then wait_for "$1" "$3" && terminal send-keys C-c; fi
	sleep 0.3
	wait_for "$1" '^\$$'
	screen | sed -e '/^\$$/d' >>"$work/screens"
	terminal send-keys -R && terminal clear-history && terminal send-keys Enter
	sleep 0.2
}

wait_for 20 '^\$$'
terminal clear-history
type 900 'make -s build'
type 300 'bin/parley demo --puzzles 6'
type 30 'bin/parley models pull http://127.0.0.1:8000/small.gguf'
type 30 'bin/parley models'
type 60 'bin/parley debate --model small "What is the capital of France?"'
python3 - >"$home/parley/mine.csv" <<'EOF'
shelf = "On a shelf, there are three books: a red book, a blue book, and a green book."
options = "(A) The red book is in the middle (B) The blue book is in the middle (C) The green book is in the middle"
print("prompt,gold")
print(f'"{shelf} The red book is the leftmost. The green book is the rightmost. {options}",(B)')
print(f'"{shelf} The green book is the leftmost. The blue book is the rightmost. {options}",(A)')
print('"Ada is older than Ben. Ben is older than Cleo. Who is the youngest? (A) Ada (B) Ben (C) Cleo",(C)')
EOF
compare='bin/parley compare --model small --task mine.csv --columns question=prompt,answer=gold --repeats 8 --out run'
type 60 "$compare" '[1-9][0-9]* of 264 debates'
type 300 "$compare"
type 60 'bin/parley report run'
terminal kill-server
