package schema

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// blanks are what \s means in ECMA 262, as ranges of a class.
const blanks = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`

// mostProperties is how many \p and \P an expression may have, since each of them stands for hundreds of ranges.
const mostProperties = 8

// goSyntax writes a regular expression of ECMA 262 as one of package regexp/syntax that matches the same. What one of
// them does not have is refused; what has another meaning in both is written out.
func goSyntax(pattern string) (string, error) {
	var b strings.Builder
	class, properties := false, 0 // whether within [ and ]; \p and \P so far
	for at := 0; at < len(pattern); {
		rest := pattern[at:]
		_, size := utf8.DecodeRuneInString(rest)
		written := rest[:size]
		switch {
		case rest[0] == '\\':
			var err error
			if written, size, err = escaped(rest, class); err != nil {
				return "", err
			}
			if strings.HasPrefix(strings.ToLower(written), `\p`) {
				properties++
			}
		case class && rest[0] == '[':
			written = `\[`
		case class && rest[0] == ']':
			class = false
		case class:
		case strings.HasPrefix(rest, "[]") || strings.HasPrefix(rest, "[^]"):
			return "", errors.New("a class without characters is not supported")
		case strings.HasPrefix(rest, "[^"):
			class, written, size = true, "[^", 2
		case rest[0] == '[':
			class = true
		case rest[0] == '.':
			written = `[^\n\r\x{2028}\x{2029}]`
		case strings.HasPrefix(rest, "(?<") && !strings.HasPrefix(rest, "(?<=") && !strings.HasPrefix(rest, "(?<!"):
		case strings.HasPrefix(rest, "(?") && !strings.HasPrefix(rest, "(?:"):
			return "", fmt.Errorf("%.4q: lookarounds and flags are not supported", rest)
		}
		if properties > mostProperties {
			return "", fmt.Errorf("more than %d properties of characters (\\p)", mostProperties)
		}
		b.WriteString(written)
		at += size
	}
	return b.String(), nil
}

// escaped writes the escape that a text begins with, and returns how many bytes it has there.
func escaped(text string, class bool) (written string, size int, err error) {
	unsupported := fmt.Errorf("%.6q is not supported", text)
	if len(text) < 2 {
		return "", 0, errors.New("it ends in an escape")
	}
	switch c := text[1]; c {
	case 'd', 'D', 'w', 'W', 'n', 'r', 't', 'f', 'v', 'p', 'P':
		return text[:2], 2, nil
	case 's':
		if class {
			return blanks, 2, nil
		}
		return "[" + blanks + "]", 2, nil
	case 'S':
		if class {
			return "", 0, errors.New(`\S within a class is not supported`)
		}
		return "[^" + blanks + "]", 2, nil
	case 'x':
		return codePoint(text, text[2:], 2, 2)
	case 'u':
		if strings.HasPrefix(text[2:], "{") {
			digits, _, closed := strings.Cut(text[3:], "}")
			if !closed || len(digits) > 6 {
				return "", 0, unsupported
			}
			written, _, err = codePoint(text, digits, 0, len(digits))
			return written, len(digits) + 4, err
		}
		return codePoint(text, text[2:], 2, 4)
	default:
		if c < utf8.RuneSelf && c != '_' && !('0' <= c && c <= '9') && !('a' <= c|0x20 && c|0x20 <= 'z') {
			return text[:2], 2, nil // a sign that stands for itself
		}
	}
	return "", 0, unsupported
}

// codePoint writes a character that an escape names by so many hexadecimal digits, which stand behind its first bytes.
func codePoint(text, digits string, first, n int) (written string, size int, err error) {
	if n == 0 || len(digits) < n || strings.Trim(digits[:n], "0123456789abcdefABCDEF") != "" {
		return "", 0, fmt.Errorf("%.6q is no escape of a character", text)
	}
	return `\x{` + digits[:n] + "}", first + n, nil
}
