package llamacpp

import "unicode/utf8"

// wholeCharacters is the length of b without a character at its end that is still incomplete.
func wholeCharacters(b []byte) int {
	for n := len(b) - 1; n >= max(0, len(b)-utf8.UTFMax); n-- {
		if utf8.RuneStart(b[n]) {
			if !utf8.FullRune(b[n:]) {
				return n
			}
			break
		}
	}
	return len(b)
}
