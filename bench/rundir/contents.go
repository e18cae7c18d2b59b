package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/inference"
)

// contents is what the journals of a run directory hold, as far as they were read.
type contents struct {
	header   *Header                    // the last header of the debates, nil before the first
	began    *Header                    // the last header of the generations, which get theirs first
	replies  map[string]inference.Reply // the replies under all headers, by key
	outcomes []trial.Outcome            // the debates under the last header
	seen     map[debateID]bool          // the debates of outcomes
	held     map[string]bool            // keys of the replies in outcomes
	count    Count                      // of all these
	repairs  []Repair                   // of both journals
	host     string                     // the machine of the last generations, "" if it is not recorded
	plan     plan
	texts    texts // of replies and outcomes; nil: they are not shared
}

// debateID says which debate of a run an outcome is of.
type debateID struct {
	question, condition string
	repeat              int
}

// newContents returns the contents of a directory in which nothing was read yet.
func newContents() contents { return contents{replies: make(map[string]inference.Reply)} }

// readGeneration enters a record of the generations.
func (c *contents) readGeneration(line []byte) error {
	return visitor{
		header: func(h Header) {
			c.began = &h
			if h.Shard != nil {
				c.host = h.Shard.Host
			}
		},
		generation: func(g Generation) error {
			c.addReply(g)
			return nil
		},
		repair: func(r Repair) { c.repairs = append(c.repairs, r) },
	}.visit(line)
}

// readOutcome enters a record of the debates. A header begins a wider or narrower run, which records its debates anew.
func (c *contents) readOutcome(line []byte) error {
	is, err := kindOf(line, kindHeader, kindDebate, kindRepair)
	switch {
	case err != nil:
	case is == kindHeader:
		before := c.header
		if c.header, err = readHeader(line); err == nil {
			c.plan.follow(before, *c.header, line, len(c.outcomes))
			c.countAnew(*c.header)
		}
	case is == kindDebate:
		var o debateRecord
		if err = json.Unmarshal(line, &o); err == nil {
			err = c.addOutcome(o.Outcome)
		}
	case is == kindRepair:
		var r Repair
		err = json.Unmarshal(line, &r)
		c.repairs = append(c.repairs, r)
	}
	return invalid("debates", err)
}

// addOutcome enters a recorded debate, unless it cannot be one of the run.
func (c *contents) addOutcome(o trial.Outcome) error {
	id := debateID{o.Question, o.Condition, o.Repeat}
	switch {
	case c.header == nil:
		return errors.New("a debate stands before any header")
	case !slices.Contains(c.header.Conditions, o.Condition):
		return fmt.Errorf("question %s: %q is not a condition of the run", o.Question, o.Condition)
	case c.seen[id]:
		return fmt.Errorf("question %s, condition %s: the debate is recorded twice", o.Case(), o.Condition)
	}
	if err := o.Validate(); err != nil {
		return fmt.Errorf("question %s, condition %s: %w", o.Case(), o.Condition, err)
	}
	if o.Failed() {
		o.Score = task.Failed // older records say unparsed
	}
	c.texts.shareOutcome(&o)
	c.seen[id] = true
	c.outcomes = append(c.outcomes, o)
	c.countOutcome(o)
	return nil
}

// addReply enters a reply.
func (c *contents) addReply(g Generation) {
	if _, known := c.replies[g.Reply.Key]; !known {
		c.count.addGeneration(g.Reply, g.Joined)
	}
	c.texts.shareReply(&g.Reply)
	c.replies[g.Reply.Key] = g.Reply
}

// Reply returns a reply that the run has already generated, by its key. Keys of records from older programs say only
// what was asked for: that this run computes it alike is what the headers say, by which a directory is resumed and a
// fork takes its generations.
func (c *contents) Reply(key string) (inference.Reply, bool) {
	r, ok := c.replies[key]
	if !ok {
		r, ok = c.replies[inference.AskedIn(key)]
	}
	return r, ok
}

// Recorded returns the replies that a run directory holds, and how many, without its lock and also while its run is
// under way. A directory that does not exist holds none.
func Recorded(path string) (known func(key string) (inference.Reply, bool), n int, err error) {
	c := newContents()
	if _, err := record.Read(filepath.Join(path, generationsFile), c.readGeneration); err != nil &&
		!errors.Is(err, os.ErrNotExist) {
		return nil, 0, err
	}
	return c.Reply, len(c.replies), nil
}
