package knights

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds on what is read of a reply, so that a hostile one is read in time. No reply that a model was asked for comes
// near them.
const (
	maxReplyBytes = 64 << 10
	maxReplyDepth = 32 // of nested brackets
	maxObjects    = 64 // opening braces that are tried
	maxCuts       = 16 // places where a broken object may be cut off
)

var (
	oneLine = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ") // JSON does not allow these inside a string
	folding = strings.NewReplacer("{{", "{", "}}", "}")
)

// readObject returns the first JSON object in a reply that known accepts. It looks for one in the reply as it is and
// with double braces folded, in both first for whole objects and then for repaired ones. If the reply has double
// braces, the folded text goes first, since only inner objects of the other one can be read.
func readObject(reply string, known func(map[string]any) bool) (map[string]any, bool) {
	plain := oneLine.Replace(boundReply(reply))
	readings := []string{plain, folding.Replace(plain)}
	if strings.Contains(plain, "{{") {
		slices.Reverse(readings)
	}
	for _, find := range []func(string) []string{objects, repairObject} {
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

// boundReply returns as much of a reply as is read.
func boundReply(reply string) string {
	if len(reply) <= maxReplyBytes {
		return reply
	}
	cut := maxReplyBytes
	for cut > 0 && !utf8.RuneStart(reply[cut]) {
		cut--
	}
	return reply[:cut]
}

// objects returns the texts from each opening brace to the one that closes it.
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

// repairObject returns texts that the object at the first brace may have been meant to be. In the first one, what is
// open at the end is closed; in the others, the text is cut off at one of the last commas before that.
func repairObject(reply string) (found []string) {
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

// cut is a place where an object may end, and what has to follow there to close it.
type cut struct {
	end     int
	closing string
}

// scan goes through the object at the beginning of a text. end is the offset after the brace that closes it. If it is
// never closed, end is 0 and cuts are its last commas and the end of the text. If brackets do not match or are nested
// too deeply, there are no cuts either.
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

// field returns the value of the first of these names that an object has, or nil.
func field(o map[string]any, names ...string) any {
	for _, name := range names {
		if value, ok := o[name]; ok {
			return value
		}
	}
	return nil
}

// has reports whether an object has one of these names.
func has(o map[string]any, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { _, ok := o[name]; return ok })
}
