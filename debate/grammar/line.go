package grammar

import "strings"

// Between is a value between two texts: "(" before a letter, and ")" behind it.
func Between(before string, v Value, after string) Value {
	wrap := func(expression func(*rules) string) func(*rules) string {
		return func(r *rules) string {
			parts := []string{r.name(expression(r))}
			if before != "" {
				parts = append([]string{literal(before)}, parts...)
			}
			if after != "" {
				parts = append(parts, literal(after))
			}
			return strings.Join(parts, " ")
		}
	}
	return Value{bare: wrap(v.bare), json: func(r *rules) string {
		return r.name(`"\"" ` + wrap(v.bare)(r) + ` "\""`)
	}}
}

// Letter is one of the capital letters from A to J: B.
func Letter() Value { return plain("[A-J]") }

// Decimal is a number in digits, which may have a sign, commas between thousands, and up to six decimals: -1,234.5.
func Decimal() Value {
	return plain(`"-"? ([0-9]{1,15} | [0-9]{1,3} ("," [0-9]{3}){1,4}) ("." [0-9]{1,6})?`)
}

// plain is a text without quotation marks, backslashes and control characters.
func plain(expression string) Value {
	return Value{bare: func(*rules) string { return expression },
		json: func(r *rules) string { return r.name(`"\"" (` + expression + `) "\""`) }}
}

// Line is 1 to maxChars characters (2,000 at most) as in Text, which the end of the line may follow, so that a model
// which would write on ends there.
func Line(maxChars int) Value {
	text := Text(maxChars)
	return Value{json: text.json, bare: func(r *rules) string {
		one := strings.Replace(text.bare(r), "{0,", "{1,", 1)
		return one + ` "\x0a"{0,2}`
	}}
}
