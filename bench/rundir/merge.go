package rundir

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/spec"
)

// Merged says what a merge has found and done.
type Merged struct {
	Shards      []MergedShard // the shards that were given, by number
	Of          int           // how many shards the run has
	Missing     []int         // the numbers of the shards that were not given, or have not begun
	Command     string        // the command of the whole run, without its directory; "" if the shards do not say
	Added       int           // how many generations were added
	Compared    int           // how many generations several shards have, and have alike
	Generations int           // how many generations are in the directory now
}

// MergedShard is a shard that was merged.
type MergedShard struct {
	Path string
	Status
}

// Unfinished returns the shards that do not have all of their debates yet.
func (m Merged) Unfinished() (list []MergedShard) {
	for _, s := range m.Shards {
		if s.State != StateFinished {
			list = append(list, s)
		}
	}
	return list
}

// Merge adds the generations of shards to the directory of their run, each once, and what their engines did. The run's
// own command then finds all of its replies there. Shards may be running; they are only read. Merging again adds what
// is new. A generation that two machines have computed differently is an error, and so are shards of different runs;
// nothing is written then.
func Merge(directory string, shards []string) (m Merged, err error) {
	if err := m.read(shards); err != nil || len(m.Shards) == 0 {
		return m, err
	}
	whole := m.Shards[0].Header.whole()
	for _, s := range m.Shards[1:] {
		if err := mergeable(m.Shards[0], s); err != nil {
			return m, err
		}
		whole.Time = min(whole.Time, s.Header.Time)
	}
	d, err := OpenDirectory(directory)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, d.Discard()) }()
	if d.header != nil {
		if differences := notWider(*d.header, whole); len(differences) > 0 {
			return m, fmt.Errorf("run directory %q holds another run than the shards:\n%smerge them into another "+
				"directory", directory, lines(differences))
		}
	}
	u := union{copier: copier{to: d.generations}, from: make(map[string]origin)}
	if m.Compared, err = u.compare(directory, m.Shards); err != nil {
		return m, err
	}
	m.Generations = len(u.from)
	if d.header == nil {
		if err := d.debates.Append(whole); err != nil {
			return m, err
		}
	}
	for _, s := range m.Shards {
		if err := u.add(s); err != nil {
			return m, err
		}
	}
	m.Added = u.added
	if err := u.flush(); err != nil {
		return m, err
	}
	return m, mergeSessions(directory, m.Shards)
}

// read reads how far the shards are, and sorts them by their numbers.
func (m *Merged) read(shards []string) error {
	slices.Sort(shards)
	for _, path := range slices.Compact(shards) {
		s, err := ReadStatus(path)
		if err != nil {
			return err
		}
		switch {
		case s.Header == nil:
			continue // nothing is recorded yet: it is missing
		case s.Header.Shard == nil:
			return fmt.Errorf("%q holds a whole run and no shard of one", path)
		}
		m.Shards = append(m.Shards, MergedShard{path, s})
		m.Of, m.Command = s.Header.Shard.Of, cmp.Or(m.Command, s.Header.Shard.Command)
	}
	slices.SortFunc(m.Shards, func(a, b MergedShard) int {
		return cmp.Or(cmp.Compare(a.Header.Shard.Index, b.Header.Shard.Index), cmp.Compare(a.Path, b.Path))
	})
	for i := range m.Of {
		if !slices.ContainsFunc(m.Shards, func(s MergedShard) bool { return s.Header.Shard.Index == i+1 }) {
			m.Missing = append(m.Missing, i+1)
		}
	}
	return nil
}

// whole returns the header of the run that a shard is a part of. The number of debates is scaled by the questions,
// since every question has the same number of debates; the budget is dropped, because each shard had its own.
func (h Header) whole() Header {
	if h.Shard == nil {
		return h
	}
	h.Debates = h.Debates / max(1, h.Questions) * h.Shard.Questions
	h.Questions, h.Shard, h.Budget = h.Shard.Questions, nil, nil
	return h
}

// machine names where a run is computed.
func (h Header) machine() string {
	host := "an unknown machine"
	if h.Shard != nil && h.Shard.Host != "" {
		host = h.Shard.Host
	}
	return fmt.Sprintf("%s, build %s", host, h.Build)
}

// mergeable refuses shards of different runs, and those of one run that was divided in two ways.
func mergeable(a, b MergedShard) error {
	differences := notWider(a.Header.whole(), b.Header.whole())
	if a.Header.Shard.Of != b.Header.Shard.Of {
		differences = append(differences, Difference{"number of shards", a.Header.Shard.Of, b.Header.Shard.Of})
	}
	if len(differences) == 0 {
		return nil
	}
	text := fmt.Sprintf("%s (%s) and %s (%s) are not shards of one run:", a.Path, a.Header.machine(), b.Path,
		b.Header.machine())
	for _, d := range differences {
		text += fmt.Sprintf("\n  %s is %v in the one and %v in the other", d.Name, d.First, d.Second)
	}
	return errors.New(text)
}

// notWider lists what makes a run another one, and also what would only widen it: the shards of a run all have its
// extent.
func notWider(a, b Header) []Difference {
	differences := a.differs(b)
	if len(differences) > 0 || a.sameExtent(b) {
		return differences
	}
	return append(compare(a.of(spec.Extent), b.of(spec.Extent)), a.settings(b)...)
}

// union is a set of generations by their keys.
type union struct {
	copier
	from  map[string]origin // by key
	added int
}

// origin is where a generation is recorded, and the hash of what was generated.
type origin struct {
	content [sha256.Size]byte
	path    string // the first directory that has it; "" once it is added
	header  *Header
	shards  int // how many shards have it
}

// compare enters all generations, and counts those that several shards have, and have alike. Merge writes only after it
// has read all shards, so that a difference in the last of them leaves the directory as it was.
func (u *union) compare(directory string, shards []MergedShard) (twice int, err error) {
	paths := []string{directory}
	for _, s := range shards {
		paths = append(paths, s.Path)
	}
	for _, path := range paths {
		err := eachWithHeader(path, func(h *Header, g Generation) error {
			o, err := originOf(g, path, h)
			if err != nil {
				return err
			}
			before, known := u.from[g.Reply.Key]
			if !known {
				before = o
			}
			if path != directory {
				before.shards++
			}
			if u.from[g.Reply.Key] = before; before.shards == 2 {
				twice++
			}
			return before.alike(o, g)
		})
		if err != nil {
			return twice, err
		}
	}
	return twice, nil
}

// add appends the generations that came from a shard, each behind the header under which it stands there. What the
// shard has recorded since compare is left to the next merge.
func (u *union) add(s MergedShard) error {
	var last *Header // the header that was appended last; the pointer tells whether another one has begun
	return eachWithHeader(s.Path, func(h *Header, g Generation) error {
		o := u.from[g.Reply.Key]
		if o.path != s.Path {
			return nil
		}
		if h != nil && h != last {
			last = h
			if err := u.addRecord(h); err != nil {
				return err
			}
		}
		o.path = ""
		u.from[g.Reply.Key] = o
		u.added++
		return u.addRecord(g)
	})
}

// eachWithHeader visits the generations of a directory with the header under which they stand, nil if that is lost.
func eachWithHeader(directory string, visit func(*Header, Generation) error) error {
	header := firstHeader(filepath.Join(directory, debatesFile)) // of a journal that does not begin with one
	return readGenerations(directory, visitor{header: func(h Header) { header = &h },
		generation: func(g Generation) error { return visit(header, g) }})
}

// originOf hashes what a generation came to: its reply without what the engine happened to have in its cache.
func originOf(g Generation, path string, header *Header) (origin, error) {
	g.Reply.CachedTokens = 0
	text, err := record.Marshal(g.Reply)
	return origin{content: sha256.Sum256(text), path: path, header: header}, err
}

// alike refuses two generations of one key that differ.
func (o origin) alike(other origin, g Generation) error {
	if o.content == other.content {
		return nil
	}
	where := make([]string, 2)
	for i, k := range []origin{o, other} {
		where[i] = k.path
		if k.header != nil {
			where[i] += " (" + k.header.machine() + ")"
		}
	}
	return fmt.Errorf("%s, key %s, is not the same in %s: at least one of these machines does not compute what the "+
		"other does; compute both parts on one kind of machine and build, with --mode reproducible", g.Name,
		g.Reply.Key, strings.Join(where, " and in "))
}
