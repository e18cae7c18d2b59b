package vote

import "parley/debate/grammar"

// Grammar is GBNF text of the valid ballots on so many candidates, "" for an election that scores candidates.
func (e Election) Grammar(candidates int) string {
	switch {
	case e.Read == nil:
		return ""
	case e.Points > 0:
		return grammar.Points(candidates, e.Points).String()
	case e.Name == "approval":
		return grammar.Approval(candidates).String()
	case e.Name == "simple":
		return grammar.Choice(numbers(candidates)...).String()
	}
	return grammar.Ranking(candidates, 5).String()
}
