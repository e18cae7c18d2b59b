package answer

import (
	"regexp"
	"strings"
)

// mark matches the words behind which a reply states its answer.
var mark = regexp.MustCompile(`(?i)####|\bfinal[ \t]+(?:solution|answer|choice|response|result)\b[ \t]*(?:\([^()\n]{0,40}\))?` +
	`[ \t]*(?:[:=]|\bis\b:?|\bwould be\b|[-–—] |\bof\b)|` +
	`\b(?:answer|ans|my choice|(?:correct|right|best|chosen|selected) (?:option|choice|answer|statement))[ \t]*` +
	`(?:\([^()\n]{0,40}\)|\[[^\]\n]{0,20}\])?[ \t]*[:=]|` +
	`\b(?:answers?|solution is|(?:correct|right|best|chosen|closest|nearest|appropriate|likely) (?:one|option|choice|statement|response))` +
	`(?:[ \t]+(?:choice|option|letter|number|value))?` +
	`(?:[ \t]*,?[ \t]+(?:to|for|of|in|that|which|who|here|given|from|based|among|we|i|therefore|thus|then)` +
	`(?:[ \t]+[^\s.!?:;]+){0,14}?)?[ \t]*,?[ \t]+(?:(?:is|are|was|would be|should be|must be|will be|has to be|equals)\b|=)` +
	`(?:[ \t]+(?:that|therefore|thus|hence|likely|most likely|probably|clearly|simply|indeed|actually|also|then|` +
	`definitely|certainly|still))?[ \t]*(?:[:=])?`)

// heading matches a line that is only the title of the answer below it.
var heading = regexp.MustCompile(`(?i)^[#\s]*(?:the |my )?(?:final |correct )?(?:answer|solution|choice)[.:]?$`)

// unsure matches words before a mark with which it states nothing.
var unsure = regexp.MustCompile(`(?i)\b(?:if|whether|unless|suppose|assuming|assume|when|until|why|how|not|` +
	`form|format)(?: that)?(?: the| your| my| an| this| of)?(?: \w+)?[ \t,"']*$|` +
	`\b(?:to|into(?: the| your| my| an)?|can|could|please|cannot|i|we|you)[ \t]+$`)

// maxStatement bounds the bytes behind a mark that are read, so that many marks in one line take no longer than the
// line. What is longer is no answer.
const maxStatement = 400

// statement is what a reply says behind a mark.
type statement struct {
	line int
	text string // the rest of the line, or the next line
}

// statements returns what a page states, in order, and apart from it what stands behind ####, the mark of GSM8K's
// solutions. Behind a mark at the end of a line, the next line is meant; where none follows, the text is empty.
func statements(p page) (all []statement, hashes []statement) {
	for i, l := range p.lines {
		if l.listed {
			continue
		}
		if heading.MatchString(l.text) {
			if n := p.next(i); n >= 0 && !p.lines[n].listed {
				all = append(all, statement{n, head(p.lines[n].text)})
			}
			continue
		}
		found := mark.FindAllStringIndex(l.text, -1)
		for k, at := range found {
			to := len(l.text)
			if k+1 < len(found) {
				if to = found[k+1][0]; strings.TrimSpace(l.text[at[1]:to]) == "" {
					continue // the next mark continues this one
				}
			}
			s := statement{i, head(l.text[at[1]:to])}
			before := l.text[:at[0]]
			if unsure.MatchString(tail(before)) || quotes(before) && (k == 0 || found[k-1][1] < opens(before)-1) {
				continue // it only supposes, or it quotes the form of an answer
			}
			if strings.Trim(s.text, ` :*_#"'$`) == "" && k == len(found)-1 {
				n := p.next(i)
				if n >= 0 && p.lines[n].listed {
					continue
				}
				if s.text = ""; n >= 0 {
					s = statement{n, head(p.lines[n].text)}
				}
			}
			if l.text[at[0]:at[1]] == "####" {
				hashes = append(hashes, s)
			} else {
				all = append(all, s)
			}
		}
	}
	return all[max(0, len(all)-maxStatements):], hashes[:min(len(hashes), maxStatements)]
}

// maxStatements bounds how many statements of a reply are read: the last ones, and the first behind ####.
const maxStatements = 100

// quoting matches the beginning of a quotation right before a mark.
var quoting = regexp.MustCompile(`(?i)"(?:(?:so |therefore )?,?(?:the |my ))?$`)

// quotes reports whether a line goes on with a quotation.
func quotes(before string) bool { return opens(before) > 0 }

// opens returns where the quotation begins with which a line goes on; 0 if it is all of the line, -1 if there is none.
func opens(before string) int {
	at := quoting.FindStringIndex(before)
	if at == nil {
		return -1
	}
	return at[0]
}

// head returns the beginning of a text, as long as a statement may be.
func head(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= maxStatement {
		return text
	}
	return strings.ToValidUTF8(text[:maxStatement], "")
}

// tail returns the words right before a mark.
func tail(text string) string { return text[max(0, len(text)-40):] }
