package scheduler

// Stats counts what was asked, done and saved. Everything is counted from plans, nothing is estimated.
type Stats struct {
	PromptAsked    int // prompt tokens of all requests
	PromptComputed int // prompt tokens decoded
	Repeated       int // of these, tokens whose cells are there, but not the state after them (see Options.Whole)
	Decoded        int // tokens sampled
	Generations    int // generations that ran to their end
	Joined         int // requests that got the result of an equal generation
	Preempted      int // times that a generation was put back into the queue for lack of cells
	Drafted        int // tokens that were decoded before they were drawn
	Accepted       int // drafted tokens that were then drawn
	Attended       int // cells seen, summed over all rows
	Steps          int // plans with rows
	Rows           int // rows of all plans
	BatchCapacity  int // most rows of one plan
	PeakSequences  int // most generations that ran at once
	PeakCells      int // most cells in use, counting prompts that are being computed in full
	Cells          int
}

// Stats returns the counts since New.
func (s *Scheduler) Stats() Stats { return s.stats }

func (s *Scheduler) observe(plan *Plan) {
	if len(plan.Rows) > 0 {
		s.stats.Steps++
	}
	s.stats.Rows += len(plan.Rows)
	for _, row := range plan.Rows {
		s.stats.Attended += int(row.Pos) + 1
	}
	s.stats.PromptComputed += plan.Prefill
	s.stats.PeakSequences = max(s.stats.PeakSequences, len(s.live))
	s.stats.PeakCells = max(s.stats.PeakCells, s.tree.cells+s.private)
}
