package answer

import (
	"regexp"
	"strings"
)

var firstLetter = regexp.MustCompile(`^[^\pL\pN]*([A-Za-z])(?:[^\pL\pN'’]|$)`)

func readChoice(options []string) Extractor {
	read := func(text string) Answer {
		if m := firstLetter.FindStringSubmatch(text); m != nil {
			if a := Of("(" + strings.ToUpper(m[1]) + ")"); len(options) == 0 || int(a.Text[1]-'A') < len(options) {
				return a
			}
			return Answer{How: NoOption}
		}
		for i, option := range options {
			if strings.EqualFold(NormalizeSpan(text), NormalizeSpan(option)) {
				return Of(optionName(i))
			}
		}
		return Unparsed
	}
	return withFallback(read, read)
}

func readYesNo([]string) Extractor {
	read := func(text string) Answer {
		switch word, _, _ := strings.Cut(NormalizeSpan(text), " "); word {
		case "yes", "true":
			return Of("yes")
		case "no", "false":
			return Of("no")
		}
		return Unparsed
	}
	return withFallback(read, read)
}

func readNumber([]string) Extractor { return withFallback(LastNumber, LastNumber) }

func readQuantity([]string) Extractor { return withFallback(Quantity, Quantity) }

func readMath([]string) Extractor {
	read := func(text string) Answer {
		if a := Math(text); a.Parsed {
			return a
		}
		return Math(`\boxed{` + strings.TrimRight(text, ". ") + `}`)
	}
	return withFallback(read, func(text string) Answer {
		if a := Math(text); a.Parsed || strings.ContainsAny(text, " \n") {
			return a
		}
		return read(text)
	})
}

func readWords([]string) Extractor { return withFallback(Span, Span) }

func readName(options []string) Extractor {
	read := func(text string) Answer {
		if len(options) == 0 {
			return Raw(strings.TrimSpace(text))
		}
		if a := Among(options)(text); !strings.Contains(a.Text, ", ") {
			return a
		}
		return Unparsed
	}
	return withFallback(read, read)
}

func readText([]string) Extractor {
	read := func(text string) Answer { return Raw(strings.TrimSpace(text)) }
	return withFallback(read, read)
}

// withFallback reads what a reply states and, where it states nothing, its whole text.
func withFallback(read, whole func(text string) Answer) Extractor {
	return func(reply string) Answer {
		reply = ownPart(reply)
		a := explicitly(reply, read)
		if a.How != Nothing {
			return a
		}
		if a = whole(strings.TrimSpace(reply)); a.Parsed {
			a.How = Fallback
		} else if a.How == "" {
			a.How = Nothing
		}
		return a
	}
}
