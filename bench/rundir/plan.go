package rundir

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/wording"
)

// plan is what a run was to be: its first header, which stands in its journals before the first question is asked.
type plan struct {
	first *Header // nil for a run that is in no journal
	hash  string  // of its record, hex
	seen  int     // debates that were held before the run became another one for the last time
	other bool    // whether it ever did
	taken bool    // whether it began with the replies of another run
	begun bool    // taken is known
}

// follow enters a header of the debates, which stands behind so many debates of the one before.
func (p *plan) follow(before *Header, h Header, line []byte, held int) {
	switch {
	case p.first == nil:
		p.first, p.hash = &h, record.FirstHash(line)
	case before != nil && !before.sameExtent(h):
		p.seen, p.other = held, true
	}
}

// take enters a header of the generations: of a fork, the first is that of another run.
func (p *plan) take(h Header) {
	p.taken = p.taken || !p.begun && p.first != nil && h.Shard == nil && h.Time != p.first.Time
	p.begun = true
}

// PlanHash is the SHA-256 of the record that has the plan of the run, in hex; "" where none was recorded before the
// first question: in logs of other programs, and in runs of older ones.
func (r Run) PlanHash() string {
	if r.plan.first == nil || r.plan.first.Tested == "" || r.Header.Imported != nil {
		return ""
	}
	return r.plan.hash
}

// Departures lists in what a run is not what its plan says, none if it is, or if it has no plan.
func (r Run) Departures() (list []string) {
	if r.PlanHash() == "" {
		return nil
	}
	first, h := *r.plan.first, r.Header
	for _, d := range slices.Concat(compare(first.of(spec.Extent), h.of(spec.Extent)), first.settings(h)) {
		if d.Name != "source" { // a file may move
			list = append(list, fmt.Sprintf("%s: %v, then %v", d.Name, d.First, d.Second))
		}
	}
	if r.plan.other && len(list) == 0 {
		list = append(list, "it was another run on the way")
	}
	if r.plan.other {
		list[len(list)-1] += ", after " + wording.Count(r.plan.seen, "debate")
	}
	if h.Tested != first.Tested {
		list = append(list, fmt.Sprintf("tests: %s, then %s", first.Tested, h.Tested))
	}
	if analysis.Tested != h.Tested {
		list = append(list, fmt.Sprintf("tests: %s, here %s", h.Tested, analysis.Tested))
	}
	if r.plan.taken {
		list = append(list, "it began with replies of another run")
	}
	return slices.Concat(list, r.versions(), r.unheld())
}

// versions lists other versions of this program that computed parts of the run.
func (r Run) versions() (list []string) {
	for _, s := range r.Sessions {
		text := fmt.Sprintf("parley: %s, then %s", r.plan.first.Parley, s.Parley)
		if s.Parley != "" && s.Parley != r.plan.first.Parley && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// unheld lists debates that are in no accuracy although they were planned.
func (r Run) unheld() (list []string) {
	h := r.Header
	if h.Shard != nil {
		list = append(list, "it is shard "+h.Shard.String())
	}
	if held := len(r.Outcomes); !r.Finished {
		text := fmt.Sprintf("%s of %s held", wording.Comma(held), wording.Count(h.Debates, "debate"))
		if h.Budget != nil {
			text += ", with " + h.Budget.String()
		}
		list = append(list, text)
	}
	if n := len(r.Comparison.Failed); n > 0 {
		list = append(list, wording.Count(n, "debate")+" failed")
	}
	return list
}

// Followed says in a sentence whether the run is what its plan says.
func (r Run) Followed() string {
	switch list := r.Departures(); {
	case r.Header.Imported != nil || r.plan.first == nil:
		return ""
	case r.PlanHash() == "":
		return "No plan was recorded before the first question: the program was an older one."
	case len(list) > 0:
		return "The run departs from its plan: " + strings.Join(list, "; ") + "."
	}
	return "The run followed its plan."
}
