package ending

import "strings"

// A text is an echo of another if it has echoWords words or more, and echoShare of all runs of echoRun words in it are
// in the other, whatever the blanks between them.
const (
	echoRun   = 4
	echoWords = 12 // more than an option has that is given as an answer
	echoShare = 0.8
)

// Echo reports whether a text says hardly more than another one said before it.
func Echo(text, of string) bool {
	words := strings.Fields(text)
	if len(words) < echoWords {
		return false
	}
	said := make(map[[echoRun]string]bool)
	for before := strings.Fields(of); len(before) >= echoRun; before = before[1:] {
		said[[echoRun]string(before)] = true
	}
	runs, echoed := len(words)-echoRun+1, 0
	for ; len(words) >= echoRun; words = words[1:] {
		if said[[echoRun]string(words)] {
			echoed++
		}
	}
	return float64(echoed) >= echoShare*float64(runs)
}
