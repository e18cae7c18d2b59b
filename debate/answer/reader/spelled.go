package reader

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// numberWords are the words for numbers up to twelve, and tenWords those for tens from twenty on.
var (
	numberWords = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen " +
		"fourteen fifteen sixteen seventeen eighteen nineteen")
	tenWords = strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety")
)

var (
	// inWords matches the beginning of a statement that is a number in words.
	inWords = regexp.MustCompile(`(?i)^\W{0,4}(?:(?:negative|minus|exactly|about|approximately|a total of) )?`)
	// ofWhole begins what makes words before it a part of a number.
	ofWhole = regexp.MustCompile(`(?i)^[ -](?:(?:and )?(?:a |an |one )?(?:half|halves|quarters?|thirds?|fourths?)|point|(?:or|to) \pL+|\pL+(?:i?eth|nth|fths?|thirds|fourths|xths?|nths?|ghths?))\b`)
)

// spellInFigures returns a text that begins with a number in words in figures, if nothing but what it counts stands
// behind it, or it has several words.
func spellInFigures(text string) string {
	from := len(inWords.FindString(text))
	n, to := spelled(text[from:])
	rest := text[from+to:]
	if to == 0 || ofWhole.MatchString(rest) || len(strings.FieldsFunc(text[from:from+to], isGap)) == 1 &&
		len(strings.Fields(strings.Trim(rest, " ."))) > 2 {
		return text
	}
	return text[:from] + strconv.FormatInt(n, 10) + rest
}

// cardinal matches a number before a part in words, and wordsOfParts are the words for parts, from the half on.
var (
	cardinal     = `([0-9]{1,4}|an?|` + strings.Join(numberWords[1:], "|") + `)`
	wordsOfParts = strings.Fields("half third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth " +
		"thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth")
	// inParts matches a fraction in words, with no noun behind it.
	inParts = regexp.MustCompile(`(?i)(^|[^\pL0-9/.,-])` + cardinal + `[ -](halves|quarters?|(?:` +
		strings.Join(wordsOfParts, "|") + `|hundredth|thousandth)s?)( of\b|[ ]*[^\pL\s0-9-]|[ ]*$)`)
	// halfAlone matches a half that is all of a text, inOther a number over or in another one that is, and andPart one
	// with a part behind it.
	halfAlone = regexp.MustCompile(`(?i)^(\W*)(?:(?:a|one) )?half([^\pL0-9]*)$`)
	inOther   = regexp.MustCompile(`(?i)^(\W{0,6})` + cardinal + `[ -]((?:divided )?(?:over|by)|in|out of)(?: every)?[ -]` + cardinal +
		`([^\pL0-9]*)$`)
	andPart = regexp.MustCompile(`(?i)^(\W{0,6})` + cardinal + `( and (?:a|one|three) (?:half|quarters?|third)\b)`)
)

// partsInFigures returns a text with fractions in words in figures: 2/3 for "two thirds", "2 in 5" for "two in five".
func partsInFigures(text string) string {
	if m := andPart.FindStringSubmatch(text); m != nil {
		return m[1] + figure(m[2]) + strings.TrimPrefix(text, m[1]+m[2])
	}
	text = inParts.ReplaceAllStringFunc(text, func(all string) string {
		m := inParts.FindStringSubmatch(all)
		part := strings.TrimSuffix(strings.ToLower(m[3]), "s")
		below := slices.Index(wordsOfParts, part) + 2
		switch part {
		case "halve":
			below = 2
		case "quarter":
			below = 4
		case "hundredth":
			below = 100
		case "thousandth":
			below = 1000
		}
		return m[1] + figure(m[2]) + "/" + strconv.Itoa(below) + m[4]
	})
	text = halfAlone.ReplaceAllString(text, "${1}1/2$2")
	if m := inOther.FindStringSubmatch(text); m != nil {
		between := "/"
		if said := strings.ToLower(m[3]); said == "in" || said == "out of" { // of which only a quantity is a fraction
			between = " " + said + " "
		}
		text = m[1] + figure(m[2]) + between + figure(m[4]) + m[5]
	}
	return text
}

// figure returns a cardinal number in figures.
func figure(word string) string {
	if n := slices.Index(numberWords, strings.ToLower(word)); n > 0 {
		return strconv.Itoa(n)
	}
	if isDigit(word) {
		return word
	}
	return "1"
}

// saysNumber matches what comes before a number in words at the end of a sentence.
var saysNumber = regexp.MustCompile(`(?i)^.* (?:is|are|equals|was|were|be|exactly) (?:exactly )?((?:\pL+[ -]){0,4}\pL+)\.?$`)

// endInFigures returns a text that ends in a number in words with that in figures.
func endInFigures(text string) string {
	m := saysNumber.FindStringSubmatchIndex(text)
	if m == nil {
		return text
	}
	n, to := spelled(text[m[2]:m[3]])
	if to != m[3]-m[2] {
		return text
	}
	return text[:m[2]] + strconv.FormatInt(n, 10) + text[m[3]:]
}

// isGap reports whether a character parts the words of a number.
func isGap(r rune) bool { return r == ' ' || r == '-' }

// maxSpelled bounds the words of a number.
const maxSpelled = 20

// spelled returns the number whose words a text begins with, and where they end; 0 if it begins with none.
func spelled(text string) (n int64, to int) {
	var sum spelledSum
	for range maxSpelled {
		rest := strings.TrimLeft(text[to:], " -")
		gap := len(text) - to - len(rest)
		end := strings.IndexFunc(rest, func(r rune) bool { return r|0x20 < 'a' || r|0x20 > 'z' })
		if end < 0 {
			end = len(rest)
		}
		next := firstWord(rest[end:])
		if to > 0 && gap == 0 || !sum.takes(strings.ToLower(rest[:end]), next, to == 0) {
			return sum.total + sum.part, to
		}
		to += gap + end
	}
	return 0, 0
}

// spelledSum is a number in words as far as it is read.
type spelledSum struct {
	total, part int64 // the thousands, and what stands before the next word for thousands
	least       int64 // what the next word has to be less than
}

// takes adds a word, and reports whether it can follow those before; next is the word behind it.
func (s *spelledSum) takes(word, next string, first bool) bool {
	unit, ten, size := int64(slices.Index(numberWords, word)), int64(slices.Index(tenWords, word)), scales[word]
	switch {
	case word == "and":
		return !first && s.least >= 100 && isNumberWord(next)
	case word == "a" && first:
		return scales[next] > 0
	case unit >= 0 && (first || s.least > unit):
		s.part, s.least = s.part+unit, 0
	case ten >= 0 && (first || s.least >= 100):
		s.part, s.least = s.part+(ten+2)*10, 10
	case first || size == 0 || len(word) < 3:
		return false
	case size == 100 && s.part < 100:
		s.part, s.least = max(s.part, 1)*100, 100
	case size != 100 && s.part < 1000:
		s.total, s.part, s.least = s.total+max(s.part, 1)*size, 0, 1000
	default:
		return false
	}
	return true
}

// isNumberWord reports whether a word is one of those for numbers below a hundred.
func isNumberWord(w string) bool {
	return slices.Contains(numberWords, w) || slices.Contains(tenWords, w)
}

// firstWord returns the first word of a text in small letters.
func firstWord(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' })
	return append(words, "")[0]
}

// addSpelled adds to a value the words or digits that go on with it, as in "2 hundred and five". It is no value if they
// are no words that can.
func (v *value) addSpelled(text string) {
	rest := strings.TrimPrefix(strings.TrimLeft(text[v.to:], " "+fixed), "and ")
	n, to := spelled(rest)
	if v.to = len(text) - len(rest) + to; to == 0 {
		v.rat = nil
		return
	}
	v.rat = new(big.Rat).Add(v.rat, new(big.Rat).SetInt64(n))
}

var (
	// partWord matches the part that goes on with a number: "2 and a half".
	partWord = regexp.MustCompile(`(?i)^ and (?:a|one|three) (half|quarters?|third)\b`)
	// belowZero goes on with a temperature.
	belowZero = regexp.MustCompile(`(?i)^[^.,;0-9]{0,14}\bbelow (?:zero|freezing)`)
)

// addPart adds to a value the half or quarter that goes on with it, and takes what is below zero for negative.
func (v *value) addPart(text string) {
	var m []string
	if v.rat != nil && match(partWord, text[v.to:], &m) {
		part := big.NewRat(1, map[string]int64{"h": 2, "q": 4, "t": 3}[strings.ToLower(m[1][:1])])
		if strings.Contains(strings.ToLower(m[0]), "three") {
			part.Mul(part, big.NewRat(3, 1))
		}
		v.rat, v.to = new(big.Rat).Add(v.rat, part), v.to+len(m[0])
	}
	if v.rat != nil && belowZero.MatchString(window(text[v.to:])) {
		v.rat = new(big.Rat).Neg(v.rat)
	}
}
