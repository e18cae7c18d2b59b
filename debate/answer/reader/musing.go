package reader

import (
	"regexp"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
)

var (
	// musingFirst begins a reply that thinks aloud, and musingOn a sentence in which it goes on.
	musingFirst = regexp.MustCompile(`(?i)^(?:okay|ok|alright|all right|hmm+|so)\b`)
	musingOn    = regexp.MustCompile(`(?i)^(?:(?:but|oh|no|and),? )?(?:wait|hmm+|alternatively|hold on|maybe)\b`)
	// checkingAgain begins the sentence with which it goes back to what it has concluded, and settled says so of that.
	checkingAgain = regexp.MustCompile(`(?i)^(?:(?:but|wait|hmm+|okay|ok|now|so|and|however|just)[,. ]+)*(?:(?:hold on|to be (?:sure|safe|thorough))\b|` +
		`(?:to|let me|let's|let us|i should|i'll|maybe i should)(?: (?:just|quickly|also))? (?:double[- ]?check|verify|check|make sure|confirm|` +
		`think again|think if|see if there|re-?verify|recheck)\b|is there (?:another|an?) [^.]*\?)`)
	settled = regexp.MustCompile(`(?i)^(?:(?:so|and|yes|yeah|okay),? )*(?:i (?:think|believe) )?(?:that|this|it)(?:'s| (?:is|seems|looks|sounds|appears|makes))(?: (?:to be|like))? ` +
		`(?:nice|correct|right|consistent|good|reasonable|sense|the (?:correct |right |final )?answer)\b`)
)

// leastMusing is how many sentences make a reply one that thinks aloud.
const leastMusing = 3

// muses reports whether a page is reasoning, without the marks of it, that breaks off: it has come to no end.
func (p page) muses() bool {
	all := p.sentences()
	if len(all) < leastMusing || !musingFirst.MatchString(all[0]) {
		return false
	}
	n := 0
	for _, s := range all {
		if musingOn.MatchString(s) {
			n++
		}
	}
	last := all[len(all)-1]
	return n >= leastMusing && !(finally.MatchString(last) && endsSentence(last))
}

// checked reads what reasoning that breaks off has concluded before it goes back to check that: a number, by a function
// that reads pages, of a sentence with a word of the question. What it goes back to twice must be the same.
func (n numeric) checked(p page, read func(page) answer.Answer) answer.Answer {
	found := answer.Answer{How: answer.Nothing}
	for i, times := len(p.lines)-1, 0; i >= 0 && times < 2; i-- {
		all := sentences(p.lines[i].text)
		for k := len(all) - 1; k >= 0 && times < 2; k-- {
			if !checkingAgain.MatchString(all[k]) {
				continue
			}
			said := p.concludedAbove(i, all[:k])
			if said == "" || !n.theme.in(said) || !strings.Contains(said, "=") && !verb.MatchString(said) {
				continue
			}
			a := read(page{lines: []line{{text: said}}})
			if !a.Parsed || unknowns.MatchString(a.Text) {
				continue
			}
			if times++; found.Parsed && found.Text != a.Text {
				return answer.Answer{How: answer.Nothing}
			}
			found = a
		}
	}
	return found
}

// concludedAbove returns the last concluding sentence of some that begin a line, or of the line above it if there are
// none; "" if the last of them concludes nothing.
func (p page) concludedAbove(i int, before []string) string {
	for range 2 {
		for len(before) > 0 && goesBack(before[len(before)-1]) {
			before = before[:len(before)-1]
		}
		if len(before) > 0 {
			if last := before[len(before)-1]; finally.MatchString(last) {
				return last
			}
			return ""
		}
		if i = p.previous(i); i < 0 {
			return ""
		}
		before = sentences(p.lines[i].text)
	}
	return ""
}

// goesBack reports whether a sentence is on what was concluded before it.
func goesBack(s string) bool { return settled.MatchString(s) || checkingAgain.MatchString(s) }
