package knights

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// What is looked at in a reply at most: nothing that a model was asked for comes near.
const (
	maxReplyBytes = 64 << 10
	maxReplyDepth = 32 // of brackets in brackets
	maxObjects    = 64 // beginnings of objects that are tried
	maxCuts       = 16 // places where a broken object is cut off
)

var (
	// so that texts may have what JSON does not allow in them
	oneLine = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ")
	folding = strings.NewReplacer("{{", "{", "}}", "}")
)

// readObject finds the first JSON object that is known for what it should be: as it stands, or with double braces
// folded, which goes first where a brace is opened twice; then each of both repaired.
func readObject(reply string, known func(map[string]any) bool) (map[string]any, bool) {
	plain := oneLine.Replace(bounded(reply))
	readings := []string{plain, folding.Replace(plain)}
	if strings.Contains(plain, "{{") { // as it stands, it has only inner objects that can be read
		slices.Reverse(readings)
	}
	for _, find := range []func(string) []string{objects, repaired} {
		for _, reading := range readings {
			for _, candidate := range find(reading) {
				var o map[string]any
				if json.Unmarshal([]byte(candidate), &o) == nil && known(o) {
					return o, true
				}
			}
		}
	}
	return nil, false
}

// bounded is as much of a reply as is read.
func bounded(reply string) string {
	if len(reply) <= maxReplyBytes {
		return reply
	}
	cut := maxReplyBytes
	for cut > 0 && !utf8.RuneStart(reply[cut]) {
		cut--
	}
	return reply[:cut]
}

// objects are the texts from each opening brace to the one that closes it.
func objects(reply string) (found []string) {
	for from, tried := 0, 0; tried < maxObjects; tried++ {
		at := strings.IndexByte(reply[from:], '{')
		if at < 0 {
			break
		}
		from += at
		if end, _ := scan(reply[from:]); end > 0 {
			found = append(found, reply[from:from+end])
		}
		from++
	}
	return found
}

// repaired are the texts that the object which begins at the first brace may have been: what is open at the end is
// closed, or all from one of the last commas on is cut off before.
func repaired(reply string) (found []string) {
	at := strings.IndexByte(reply, '{')
	if at < 0 {
		return nil
	}
	_, cuts := scan(reply[at:])
	for _, c := range slices.Backward(cuts) {
		found = append(found, reply[at:at+c.end]+c.closing)
	}
	return found
}

// cut is a place where an object may end, and what has to follow to close it.
type cut struct {
	end     int
	closing string
}

// scan goes through an object. end is behind the brace that closes it. If there is none before the text ends, cuts are
// its last commas and the end of the text; if brackets do not match or are nested too deeply, there are none either.
func scan(object string) (end int, cuts []cut) {
	closing, quoted := "", false
	for i := 0; i < len(object); i++ {
		switch c := object[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if len(closing) == maxReplyDepth {
				return 0, nil
			}
			closing = string(c+2) + closing // in ASCII the closing bracket is the second after the opening one
		case c == '}' || c == ']':
			if closing[0] != c {
				return 0, nil
			}
			if closing = closing[1:]; closing == "" {
				return i + 1, nil
			}
		case c == ',':
			cuts = append(cuts[max(0, len(cuts)+1-maxCuts):], cut{i, closing})
		}
	}
	if quoted {
		closing = `"` + closing
	}
	return 0, append(cuts, cut{len(strings.TrimSuffix(object, `\`)), closing})
}

// field is the value of the first of these names that an object has.
func field(o map[string]any, names ...string) any {
	for _, name := range names {
		if value, ok := o[name]; ok {
			return value
		}
	}
	return nil
}

func has(o map[string]any, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { _, ok := o[name]; return ok })
}
