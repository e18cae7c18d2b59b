package wording

import "strings"

// Shell returns words as a POSIX shell reads them back. Of a flag only the value gets quotes.
func Shell(words ...string) string {
	typed := make([]string, len(words))
	for i, word := range words {
		if name, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(name, "--") {
			typed[i] = shellWord(name) + "=" + shellWord(value)
		} else {
			typed[i] = shellWord(word)
		}
	}
	return strings.Join(typed, " ")
}

// shellWord returns a text as a POSIX shell reads it back.
func shellWord(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
