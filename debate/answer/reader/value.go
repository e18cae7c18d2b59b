package reader

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-debate/parley/debate/answer"
)

// value is a number in a text.
type value struct {
	from, to int      // its place, with sign, currency and percent sign
	rat      *big.Rat // it is nil for what looks like a number and cannot be read as one, such as 1.2.3, 2√3 or x²
	percent  bool
}

// figures is how notations of numbers are written before they are read: with one minus, and without what LaTeX puts
// between digits.
var figures = strings.NewReplacer("−", "-", "﹣", "-", "－", "-", "‐", "-", "‑", "-", "{,}", ",", `{\,}`, "", `,\! `, ",",
	`\,`, "", `\!`, "", `\;`, " ", `\:`, " ", `\ `, " ", "~", " ", `\$`, "$", `\%`, "%", `\dfrac`, `\frac`, `\tfrac`, `\frac`,
	`\cfrac`, `\frac`, `\left`, "", `\right`, "", `\times`, "×", `\cdot`, "×", `\div`, "÷", `\approx`, "≈", "⁻", "-",
	"\u00a0", fixed, "\u2009", fixed, "\u202f", fixed, "\u2007", fixed, "\u2008", fixed, "\r", "", `\displaystyle`, "",
	`\degree`, "°", `^{\circ}`, "°", `^\circ`, "°", "**", "", "__", "", "`", "", "’", "'")

// fixed stands for the spaces that may part groups of digits.
const fixed = "\u00a0"

// vulgar are the fractions that have a letter of their own.
var vulgar = map[rune][2]int64{'½': {1, 2}, '⅓': {1, 3}, '⅔': {2, 3}, '¼': {1, 4}, '¾': {3, 4}, '⅕': {1, 5},
	'⅖': {2, 5}, '⅗': {3, 5}, '⅘': {4, 5}, '⅙': {1, 6}, '⅚': {5, 6}, '⅛': {1, 8}, '⅜': {3, 8}, '⅝': {5, 8}, '⅞': {7, 8}}

// raised are the small digits of exponents.
const raised = "⁰¹²³⁴⁵⁶⁷⁸⁹"

var (
	digits = regexp.MustCompile(`^(?:[0-9]{1,3}(?:(?:,[0-9]{3})+|(?:[\x{a0} ][0-9]{3})+|(?:'[0-9]{3})+)|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}|[0-9]+)` +
		`(?:\.[0-9]+)?|^\.[0-9]+`)
	// further matches digits that belong to those before them, in groups that are none of a number.
	further  = regexp.MustCompile(`^(?:[,'][0-9]+(?:\.[0-9]+)?)+`)
	exponent = regexp.MustCompile(`^[eE]([+-]?[0-9]{1,3})(?:[^\pL\pN_]|$)`)
	tenth    = regexp.MustCompile(`^[ \x{a0}]?[×x*·][ \x{a0}]?10(?:\^|\*\*)(?:\{\(?([+-]?[0-9]{1,3})\)?\}|\(([+-]?[0-9]{1,3})\)|` +
		`([+-]?[0-9]{1,3}))`)
	raisedTenth = regexp.MustCompile(`^[ \x{a0}]?[×x*·][ \x{a0}]?10(-?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})`)
	power       = regexp.MustCompile(`^\^(?:\{([0-9]{1,3})\}|([0-9]{1,3}))`)
	fracArgs    = regexp.MustCompile(`^\\frac[ ]*(?:\{[ ]*([+-]?)[ ]*([0-9]+(?:\.[0-9]+)?)[ ]*\}|([0-9]))[ ]*(?:\{[ ]*([+-]?)[ ]*([0-9]+(?:\.[0-9]+)?)[ ]*\}|` +
		`([0-9]))`)
	over  = regexp.MustCompile(`^[ \x{a0}]?/[ \x{a0}]?([0-9]+(?:\.[0-9]+)?)(?:[^0-9.,/]|[.,](?:[^0-9]|$)|$)`)
	mixed = regexp.MustCompile(`^[ \x{a0}]([0-9]{1,9})/([0-9]{1,9})(?:[^0-9/]|$)`)
	cents = regexp.MustCompile(`^[ \x{a0}]?(?:%|percent\b|per cent\b)`)
	scale = regexp.MustCompile(`^[ \x{a0}](hundred|thousand|million|billion|trillion|dozen|lakh|crore)s?\b|^[ ]?(bn|mn|mln)\b|^(k)\b`)
	// scaledOn matches what goes on behind such a word: "2 hundred and five".
	scaledOn = regexp.MustCompile(`(?i)^[ \x{a0}](?:and )?(?:[0-9]|(?:` + strings.Join(numberWords, "|") + `|\pL+teen|\pL{3,5}ty)\b)`)
	// countsParts are the words behind which a number counts the parts of a text.
	countsParts = regexp.MustCompile(`(?i)\b(?:step|question|problem|option|round|figure|table|part|case|example|equation|agent|` +
		`solution|scenario|method|chapter|section)[ \x{a0}]?$`)
	// symbol follows a number that is a factor or the beginning of an expression.
	symbol = regexp.MustCompile(`^(?:st|nd|rd|th)\b|^(?:[ ]?\\(?:sqrt|pi|frac|theta|alpha|infty)|√|π|[a-zA-Z](?:[^\pL]|$)|\^|_|\([-+]?[0-9])`)
)

var scales = map[string]int64{"dozen": 12, "hundred": 1e2, "thousand": 1e3, "k": 1e3, "lakh": 1e5,
	"million": 1e6, "mn": 1e6, "mln": 1e6,
	"crore": 1e7, "billion": 1e9, "bn": 1e9, "trillion": 1e12}

// attached matches what makes the digits behind it a part of something: an index, an exponent, a root.
var attached = regexp.MustCompile(`(?:[\^_]\{?|\^\{?-|\\sqrt\{|√)$`)

// valuesIn returns the numbers of a text in the notation of figures. Digits that belong to a word, an index or an
// exponent are none.
func valuesIn(text string) (all []value) {
	line := 0 // where it begins
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		_, isVulgar := vulgar[r]
		isNumber := '0' <= r && r <= '9' || isVulgar || strings.HasPrefix(text[i:], `\frac`) ||
			r == '.' && i+1 < len(text) && '0' <= text[i+1] && text[i+1] <= '9'
		if !isNumber {
			if i += size; r == '\n' {
				line = i
			}
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		if answer.Touching(before) || before == '.' && i > 1 && unicode.IsDigit(rune(text[i-2])) ||
			attached.MatchString(text[max(0, i-len(`\sqrt{`)):i]) {
			i += pieceOf(text[i:], size)
			continue
		}
		v := valueAt(text, i)
		if !numbers(text, line, v) {
			all = append(all, v)
		}
		i = max(v.to, i+size)
	}
	return all
}

// pieceOf returns the length of digits that are a part of something else.
func pieceOf(text string, least int) int {
	n := least
	for n < len(text) && ('0' <= text[n] && text[n] <= '9' ||
		(text[n] == '.' || text[n] == ',') && n+1 < len(text) && '0' <= text[n+1] && text[n+1] <= '9') {
		n++
	}
	return n
}

// numbers reports whether a value counts the parts of a text: "Step 8:", or "3." at the beginning of a line.
func numbers(text string, line int, v value) bool {
	line = max(line, v.from-20)
	if countsParts.MatchString(text[line:v.from]) {
		return true
	}
	rest := text[v.to:min(len(text), v.to+3)]
	return v.to-v.from <= 2 && len(rest) == 3 && strings.Trim(text[line:v.from], " \t*#->([") == "" &&
		strings.ContainsRune(".):", rune(rest[0])) && rest[1] == ' ' && rest[2] != '\n'
}

// valueAt reads the number that begins at an offset. Its end is behind that offset.
func valueAt(text string, at int) value {
	v := value{from: at, to: at}
	rest := text[at:]
	switch r, size := utf8.DecodeRuneInString(rest); {
	case strings.HasPrefix(rest, `\frac`):
		v.rat, v.to = fraction(rest, at)
		if v.to == at {
			v.to += len(`\frac`)
		}
	case vulgar[r][1] != 0:
		v.rat, v.to = big.NewRat(vulgar[r][0], vulgar[r][1]), at+size
	default:
		v.decimal(text)
	}
	v.follow(text)
	v.sign(text)
	return v
}

// fraction reads a \frac with numbers; the result is nil if it has others.
func fraction(text string, at int) (*big.Rat, int) {
	m := fracArgs.FindStringSubmatch(window(text))
	if m == nil {
		return nil, at
	}
	to := at + len(m[0])
	above, below := ratOf(m[1]+m[2]+m[3]), ratOf(m[4]+m[5]+m[6])
	if above == nil || below == nil || below.Sign() == 0 {
		return nil, to
	}
	return above.Quo(above, below), to
}

// ratOf returns a decimal number, or nil if it is too long.
func ratOf(text string) *big.Rat {
	text = strings.NewReplacer(",", "", "'", "", " ", "", fixed, "", "+", "").Replace(text)
	if len(text) > answer.MaxDigits {
		return nil
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return printed(r, text)
}

// exactDigits is how many digits of a decimal number a computer's 64 bits hold, and simplest the greatest denominator
// of a fraction that a number with more of them is taken for.
const exactDigits, simplest = 15, 1000

// printed returns the value that a program meant by a decimal number with more digits than its 64 bits hold: the
// simple fraction that it is next to, such as 3/10 for 0.30000000000000004, else the number rounded to those digits.
func printed(r *big.Rat, text string) *big.Rat {
	_, decimals, pointed := strings.Cut(text, ".")
	if !pointed || len(strings.TrimLeft(strings.Replace(text, ".", "", 1), "0")) < exactDigits {
		return r
	}
	f, _ := r.Float64()
	for below := int64(1); below <= simplest; below++ {
		above := math.Round(f * float64(below))
		if math.Abs(above/float64(below)-f) <= 4*math.Abs(f)*0x1p-52 {
			return big.NewRat(int64(above), below)
		}
	}
	if rounded, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', exactDigits, 64)); ok && len(decimals) > 0 {
		return rounded
	}
	return r
}

// colons matches numbers of which each is to the next: three or more are no value.
var colons = regexp.MustCompile(`^[0-9]+(?::[0-9]+){2,}`)

// byPoints matches a number with points between its groups and a comma before its decimals; one group alone may as well
// be decimals.
var byPoints = regexp.MustCompile(`^([0-9]{1,3}(?:\.[0-9]{3}){2,}(?:,[0-9]{1,9})?)(?:[.,]?[^0-9.,]|[.,]?$)`)

// decimal reads digits with what belongs to them: groups, decimals, an exponent, a fraction.
func (v *value) decimal(text string) {
	rest := text[v.from:]
	if m := byPoints.FindStringSubmatch(window(rest)); m != nil {
		v.to += len(m[1])
		v.rat = ratOf(strings.NewReplacer(".", "", ",", ".").Replace(m[1]))
		return
	}
	figure, whole := figureOf(rest)
	if v.to += len(figure); !whole {
		return
	}
	v.rat = ratOf(figure)
	if v.rat == nil {
		return
	}
	rest = text[v.to:]
	var m []string
	switch {
	case v.readPower(rest):
	case match(over, rest, &m):
		v.divide(ratOf(m[1]), strings.Index(rest, m[1])+len(m[1]))
	case !strings.Contains(figure, ".") && v.readMixed(rest):
	case len(rest) > 1 && rest[0] == '/' && isDigit(rest[1:]): // a date, or a fraction of several
		v.rat, v.to = nil, v.to+1+pieceOf(rest[1:], 1)
	}
}

// figureOf returns the digits with which a text begins, and whether they are a number: not if they go on in groups that
// none has, or with more points or colons.
func figureOf(text string) (figure string, whole bool) {
	figure = digits.FindString(window(text))
	if part, _, _ := strings.Cut(figure, " "); part != figure && (len(part) == 3 && !strings.Contains(figure, " 000") ||
		isDigit(text[len(figure):])) { // rather several numbers
		figure = part
	}
	if next := text[len(figure):]; isDigit(next) || strings.Contains(figure, ".") && next != "" && next[0] == '.' &&
		isDigit(next[1:]) { // 1,2345 or 1.2.3
		return text[:pieceOf(text, len(figure))], false
	}
	if more := further.FindString(window(text[len(figure):])); more != "" { // 12,5 or 5'11
		return figure + more, false
	}
	if chain := colons.FindString(window(text)); chain != "" {
		return chain, false
	}
	return figure, true
}

// isDigit reports whether a text begins with a digit.
func isDigit(text string) bool { return text != "" && '0' <= text[0] && text[0] <= '9' }

// readMixed reads a fraction behind a whole number, and reports whether there is one.
func (v *value) readMixed(rest string) bool {
	var m []string
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case match(mixed, rest, &m):
		v.add(ratOf(m[1]), ratOf(m[2]), 1+len(m[1])+1+len(m[2]))
	case vulgar[r][1] != 0:
		v.add(big.NewRat(vulgar[r][0], 1), big.NewRat(vulgar[r][1], 1), size)
	case strings.HasPrefix(strings.TrimLeft(rest, " "), `\frac`):
		space := len(rest) - len(strings.TrimLeft(rest, " "))
		if part, to := fraction(rest[space:], 0); part != nil && space < 2 {
			v.add(part, big.NewRat(1, 1), space+to)
		}
	default:
		return false
	}
	return true
}

// readPower reads an exponent behind a number, of ten or of the number itself, and reports whether there is one.
func (v *value) readPower(rest string) bool {
	var m []string
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case match(exponent, rest, &m):
		v.shift(m[1], 1+len(m[1]))
	case match(tenth, rest, &m):
		v.shift(m[1]+m[2]+m[3], len(m[0]))
	case match(raisedTenth, rest, &m):
		v.shift(lowerDigits(m[1]), len(m[0]))
	case match(power, rest, &m):
		v.raise(m[1]+m[2], len(m[0]))
	case strings.ContainsRune(raised, r) && size > 0:
		v.raise(lowerDigits(string(r)), size)
	default:
		return false
	}
	return true
}

// match finds a pattern in the first bytes of a text, so that its cost does not grow with the length of the reply.
func match(re *regexp.Regexp, text string, into *[]string) bool {
	*into = re.FindStringSubmatch(window(text))
	return *into != nil
}

// window is as much of a text as is looked at for one number, so that many numbers take no longer than their text.
func window(text string) string { return text[:min(len(text), 3*answer.MaxDigits)] }

// lowerDigits returns small digits as plain ones.
func lowerDigits(text string) string {
	var b strings.Builder
	for _, r := range text {
		if at := strings.IndexRune(raised, r); at >= 0 {
			r = rune('0' + utf8.RuneCountInString(raised[:at]))
		}
		b.WriteRune(r)
	}
	return b.String()
}

// shift multiplies a value by a power of ten.
func (v *value) shift(exponent string, length int) {
	v.to += length
	n, _ := new(big.Int).SetString(strings.TrimPrefix(exponent, "+"), 10)
	if n == nil || n.CmpAbs(big.NewInt(answer.MaxDigits)) > 0 {
		v.rat = nil
		return
	}
	ten := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), new(big.Int).Abs(n), nil))
	if n.Sign() < 0 {
		ten.Inv(ten)
	}
	v.rat = new(big.Rat).Mul(v.rat, ten)
}

// raise takes a whole number to a small power.
func (v *value) raise(exponent string, length int) {
	v.to += length
	n, _ := new(big.Int).SetString(exponent, 10)
	if !v.rat.IsInt() || n == nil || n.Cmp(big.NewInt(200)) > 0 ||
		v.rat.Num().BitLen()*int(n.Int64()) > 4*answer.MaxDigits {
		v.rat = nil
		return
	}
	v.rat = new(big.Rat).SetInt(new(big.Int).Exp(v.rat.Num(), n, nil))
}

// divide makes a fraction.
func (v *value) divide(below *big.Rat, length int) {
	v.to += length
	if below == nil || below.Sign() == 0 {
		v.rat = nil
		return
	}
	v.rat = new(big.Rat).Quo(v.rat, below)
}

// add adds the fraction of a mixed number.
func (v *value) add(above, below *big.Rat, length int) {
	v.to += length
	if below.Sign() == 0 {
		v.rat = nil
		return
	}
	v.rat = new(big.Rat).Add(v.rat, new(big.Rat).Quo(above, below))
}

// follow reads what stands behind the digits: a percent sign or a word such as million. Before a symbol, the number is
// only a factor.
func (v *value) follow(text string) {
	if v.rat == nil {
		return
	}
	var m []string
	for match(scale, text[v.to:], &m) {
		v.rat = new(big.Rat).Mul(v.rat, new(big.Rat).SetInt64(scales[m[1]+m[2]+m[3]]))
		v.to += len(m[0])
		if scaledOn.MatchString(window(text[v.to:])) {
			v.addSpelled(text)
			break
		}
	}
	v.addPart(text)
	switch rest := text[v.to:]; {
	case match(cents, rest, &m):
		v.percent = true
		v.to += len(m[0])
	case symbol.MatchString(window(rest)) && !units.MatchString(window(rest)):
		v.rat = nil
	}
}

// units are the single letters that rather measure than multiply.
var units = regexp.MustCompile(`^(?:[ ]?[mgLlsWVAJNhCF]|[ ][Kk])(?:[\^²³/.,;:)}$ ]|$)`)

// minusWord matches the words for the sign of the number behind them, which are of no difference.
var minusWord = regexp.MustCompile(`(?i)(?:\b(negative)|(?:^|[:=("]|\b(?:is|are|was|be|equals|of|to)) *(?:a )?(minus)) \$?$`)

// sign reads a minus and a currency before a number. A hyphen behind a word, a digit or a closing parenthesis is no
// sign.
func (v *value) sign(text string) {
	head := text[:v.from]
	trim := func(set string) bool {
		r, size := utf8.DecodeLastRuneInString(head)
		if size == 0 || !strings.ContainsRune(set, r) {
			return false
		}
		head, v.from = head[:len(head)-size], v.from-size
		return true
	}
	trim("$£€¥")
	near := max(0, len(head)-40)
	if m := minusWord.FindStringSubmatchIndex(head[near:]); m != nil && v.rat != nil {
		v.rat, v.from = new(big.Rat).Neg(v.rat), near+max(m[2], m[4])
		return
	}
	if strings.HasSuffix(head, "±") {
		v.rat = nil
	}
	if !strings.HasSuffix(head, "-") {
		v.from = len(head)
		return
	}
	before := head[:len(head)-1]
	r, size := utf8.DecodeLastRuneInString(before)
	if size > 0 && (answer.Touching(r) || r == ')' || r == '-') {
		return
	}
	if v.rat != nil {
		v.rat = new(big.Rat).Neg(v.rat)
	}
	v.from = len(before)
	head = before
	trim("$£€¥")
}
