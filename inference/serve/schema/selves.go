package schema

import (
	"errors"
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
	seen := make(map[string]bool)
	for _, path := range s.order {
		if err := s.visit(path, seen); err != nil {
			return err
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
		return errors.New("#: refers to itself without end: no value is complete")
	}
	return nil
}

// visit follows a reference to those that it begins with. seen is true of those that are being followed, and false of
// those that lead to an end.
func (s *selves) visit(path string, seen map[string]bool) error {
	switch open, before := seen[path]; {
	case open:
		return fmt.Errorf("%s: refers to itself without end", path)
	case before:
		return nil
	}
	seen[path] = true
	for _, next := range s.first[path] {
		if err := s.visit(next, seen); err != nil {
			return err
		}
	}
	seen[path] = false
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
