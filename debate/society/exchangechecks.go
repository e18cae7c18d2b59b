package society

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/internal/unknown"
)

// check refuses an exchange that does not fit its society.
func (e Exchange) check(s Society, c debate.Case) error {
	if _, err := ParseOrder(e.Order.Name, e.Order.Reading); err != nil {
		return debate.About(err, "order")
	}
	if err := e.Topology.check(s.Agents); err != nil {
		return debate.About(err, "topology", "graph", "agents")
	}
	held := exchangeIn{e, s}
	if err := debate.Require(held, c, exchangeChecks); err != nil || s.Rounds == 1 {
		return err
	}
	return debate.Require(held, c, laterChecks)
}

// exchangeIn is an exchange with the society that it belongs to.
type exchangeIn struct {
	Exchange
	s Society
}

type exchangeCheck = debate.Check[exchangeIn]

// exchangeChecks hold for every exchange, laterChecks only for exchanges that take place, because there is more than
// one round. The first broken one gives the message.
var exchangeChecks = []exchangeCheck{
	{
		Settings: []string{"labels"},
		Broken: func(e exchangeIn, _ debate.Case) bool {
			return e.Labels != "" && !slices.Contains(labels, e.Labels)
		},
		Says: func(e exchangeIn, _ debate.Case) error {
			return unknown.Name("labels", e.Labels, labels)
		},
	},
	{
		Settings: []string{"decay"},
		Broken:   func(e exchangeIn, _ debate.Case) bool { return e.Order.Decay < 0 || e.Order.Decay > 1 },
		Says: func(e exchangeIn, _ debate.Case) error {
			return fmt.Errorf("decay %g: it is a share from 0 to 1", e.Order.Decay)
		},
	},
	{
		Settings: []string{"wording"},
		Broken: func(e exchangeIn, _ debate.Case) bool {
			return e.Wording != "" && !slices.Contains(e.s.Prompts.Wordings(), e.Wording)
		},
		Says: func(e exchangeIn, _ debate.Case) error {
			return unknown.Name("wording", e.Wording, e.s.Prompts.Wordings())
		},
	},
}

var laterChecks = []exchangeCheck{
	{
		Settings: []string{"order"},
		Broken: func(e exchangeIn, c debate.Case) bool {
			return strings.HasPrefix(e.Order.Name, "truth") && !c.Truth.Parsed
		},
		Says: func(e exchangeIn, _ debate.Case) error {
			return fmt.Errorf("order %s needs the right answer: give it with --truth (Case.Truth), or take another "+
				"order", e.Order.Name)
		},
	},
	{
		Settings: []string{"topology", "order"},
		Broken: func(e exchangeIn, _ debate.Case) bool {
			return e.Topology.Name == TopologyNeighbours && e.Order.Name != "" && e.Order.Name != "fixed"
		},
		Says: func(e exchangeIn, _ debate.Case) error {
			return fmt.Errorf("topology %s lists the one before and then the one after: order %s does not go with it, "+
				"take topology %s", e.Topology, e.Order.Name, topologyRing)
		},
	},
	{
		Settings: []string{"show", "program"},
		Broken: func(e exchangeIn, _ debate.Case) bool {
			return e.Visibility.borrows() && (e.InTurn || len(e.s.Program) > 0)
		},
		Says: func(e exchangeIn, _ debate.Case) error {
			return fmt.Errorf("show %s takes reasoning from first answers that are given alone, in every exchange: "+
				"one-by-one or a program do not go with it", e.Visibility)
		},
	},
	{
		Settings: []string{"show"},
		Broken: func(e exchangeIn, c debate.Case) bool {
			return e.Visibility.borrows() && (c.Donor == nil || c.Donor.Extract == nil)
		},
		Says: func(e exchangeIn, _ debate.Case) error {
			return fmt.Errorf("%w: show %s takes the reasoning from another question: hold it on a task that has one "+
				"(Case.Donor)", debate.ErrPrior, e.Visibility)
		},
	},
	{
		Settings: []string{"labels", "show", "layout"},
		Broken: func(e exchangeIn, _ debate.Case) bool {
			return e.labels() && (e.s.common() ||
				slices.Contains([]string{ShowInterleaved, ShowGrouped, ShowSummary}, e.Visibility.Name))
		},
		Says: func(e exchangeIn, _ debate.Case) error {
			return fmt.Errorf("labels %s name the speaker of each text: layouts other than %s, and texts that join "+
				"several speakers (show %s, %s, %s), do not go with them", e.Labels, layoutHistory,
				ShowInterleaved, ShowGrouped, ShowSummary)
		},
	},
	{
		Settings: []string{"layout", "topology", "wording"},
		Broken: func(e exchangeIn, _ debate.Case) bool {
			return e.s.common() && (e.Topology.String() != topologyFull ||
				e.Visibility.String() != ShowWhole || e.InTurn || e.Wording != "")
		},
		Says: func(e exchangeIn, _ debate.Case) error {
			return fmt.Errorf("layout %s sends everybody all solutions as they are, at once: topology %s, visibility "+
				"%s or a wording do not go with it", e.s.Layout, e.Topology, e.Visibility)
		},
	},
	{
		Settings: []string{"summarizer", "topology", "speak"},
		Broken: func(e exchangeIn, _ debate.Case) bool {
			return e.s.Summarizer == summarizerAgent && e.Visibility.Name == ShowSummary &&
				(e.InTurn || e.s.InTurn || e.Topology.String() != topologyFull)
		},
		Says: func(e exchangeIn, _ debate.Case) error {
			return fmt.Errorf("summarizer %s sums up a whole round for everybody: topologies other than %s and "+
				"one-by-one do not go with it", summarizerAgent, topologyFull)
		},
	},
}
