package schema

import (
	"fmt"
	"slices"
)

// selves are the references of a schema, which may lead back to where they stand.
type selves struct {
	targets map[string]*node    // by reference
	order   []string            // references, each after those that it was the first to need
	first   map[string][]string // references that another one begins with, before any character of the value
	at      string              // reference whose value begins here; "" within another value
}

// within notes that what follows is what a reference refers to, or for "" that characters come before it. It returns
// what goes back.
func (s *selves) within(path string) func() {
	before := s.at
	s.at = path
	return func() { s.at = before }
}

// refer notes a reference.
func (s *selves) refer(path string) {
	if s.at != "" {
		s.first[s.at] = append(s.first[s.at], path)
	}
}

func (s *selves) done(path string, target *node) {
	s.targets[path] = target
	s.order = append(s.order, path)
}

// check refuses a reference that is reached again without a character between, and a schema that only values without
// end would follow.
func (s *selves) check(root *node) error {
	const open, done = 1, 2
	state := make(map[string]int)
	var visit func(path string) error
	visit = func(path string) error {
		state[path] = open
		for _, next := range s.first[path] {
			if state[next] == open {
				return fmt.Errorf("%s: refers to itself without end", next)
			}
			if state[next] == done {
				continue
			}
			if err := visit(next); err != nil {
				return err
			}
		}
		state[path] = done
		return nil
	}
	for _, path := range s.order {
		if state[path] == 0 {
			if err := visit(path); err != nil {
				return err
			}
		}
	}
	ending := make(map[string]bool)
	for more := true; more; {
		more = false
		for _, path := range s.order {
			if !ending[path] && s.targets[path].ends(ending) {
				ending[path], more = true, true
			}
		}
	}
	if !root.ends(ending) {
		return fmt.Errorf("#: refers to itself without end: no value is complete")
	}
	return nil
}

// ends reports whether a value that follows the schema can be complete. ending are the references of which that is
// known.
func (n *node) ends(ending map[string]bool) bool {
	if path, ok := n.fields["$ref"].string(); ok {
		return ending[path]
	}
	if any := n.fields["anyOf"]; any != nil {
		return slices.ContainsFunc(any.items, func(one *node) bool { return one.ends(ending) })
	}
	if t := n.fields["type"]; n.fields["const"] != nil || n.fields["enum"] != nil || t != nil && len(t.items) > 1 {
		return true // of several types another one may end
	}
	if required := n.fields["required"]; required != nil {
		return !slices.ContainsFunc(required.items, func(key *node) bool {
			name, _ := key.string()
			return !n.fields["properties"].fields[name].ends(ending)
		})
	}
	least, _ := n.fields["minItems"].whole()
	return least == 0 || n.fields["items"] == nil || n.fields["items"].ends(ending)
}
