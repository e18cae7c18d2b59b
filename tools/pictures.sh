#!/bin/sh
# Makes the pictures of docs/guide from the report of a run on the embedded model (a minute) and by a browser
# without a window:
#
#	make build && tools/pictures.sh
#
# A picture is of a copy of the report in which a style hides what it does not show. The copy is opened twice: a script
# tells how high the rest is, then the picture is taken at that height.
set -eu
cd "$(dirname "$0")/.."
guide=docs/guide
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	echo "pictures: neither chromium nor google-chrome is installed" >&2
	exit 1
}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

bin/parley compare --generated 24 --conditions single,vote,madc,shuffled --out "$work/run" >/dev/null
bin/parley report "$work/run" --title "Example: puzzles of three objects on the embedded model" \
	--out "$work/example.html"

look() {
	"$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --disable-background-networking \
		--hide-scrollbars --user-data-dir="$work/browser" --virtual-time-budget=5000 "$@" 2>/dev/null
}

# picture NAME WIDTH STYLE [DEBATE] writes NAME.png, as wide as so many pixels.
picture() {
	{
		sed 's/<details class="asked">/<details class="asked" open>/' "$work/example.html"
		echo "<style>body { padding: 1rem 1.5rem; } footer, #contents { display: none; } $3</style>"
		echo '<script>setInterval(() => document.documentElement.dataset.high =' \
			'Math.ceil(document.body.getBoundingClientRect().height), 100);</script>' # a debate is unpacked first
	} >"$work/page.html"
	page="file://$work/page.html${4:+#$4}"
	high=$(look --window-size="$2,200" --dump-dom "$page" | sed -n 's/.*<html[^>]* data-high="\([0-9]*\)".*/\1/p')
	look --window-size="$2,$high" --screenshot="$guide/$1.png" "$page" >/dev/null
	echo "$guide/$1.png: $2 by $high pixels, $(wc -c <"$guide/$1.png") bytes"
}

only_results='.export, #debates { display: none; }'
picture conditions 1240 "$only_results .figures, section > .caption ~ * { display: none !important; }
	header { margin-bottom: -1.5rem; } header details { display: none; }"
picture figures 930 "$only_results header, section > :not(.figures, .asked) { display: none; }
	.asked ~ .asked, .asked > summary { display: none; }
	.figures, .asked { margin: 0; }"
picture debate 900 "html { zoom: .75; }
	header, main > section:not(#debates), #filters, .browser > nav, h2 { display: none !important; }
	#debate h4, #debate h4 ~ *, #debate details > :not(summary) { display: none !important; }
	.browser { display: block; }" debate-12
