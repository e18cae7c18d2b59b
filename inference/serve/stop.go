package serve

import "strings"

// cutter cuts a text that comes piece by piece at the first stop text. It holds back what may be the beginning of one.
type cutter struct {
	stops []string
	held  string // not yet known to be before a stop text
}

// push adds a piece and returns what is certainly before any stop text, and whether one was found.
func (c *cutter) push(piece string) (text string, stopped bool) {
	c.held += piece
	at := -1
	for _, stop := range c.stops {
		if i := strings.Index(c.held, stop); i >= 0 && (at < 0 || i < at) {
			at = i
		}
	}
	if at >= 0 {
		text, c.held = c.held[:at], ""
		return text, true
	}
	n := len(c.held) - c.open()
	text, c.held = c.held[:n], c.held[n:]
	return text, false
}

// open is the length of the longest end of the text that begins a stop text.
func (c *cutter) open() (n int) {
	for _, stop := range c.stops {
		for k := min(len(stop)-1, len(c.held)); k > n; k-- {
			if strings.HasPrefix(stop, c.held[len(c.held)-k:]) {
				n = k
				break
			}
		}
	}
	return n
}

// flush returns what was held back when the text ends.
func (c *cutter) flush() string {
	text := c.held
	c.held = ""
	return text
}
