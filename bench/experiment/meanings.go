package experiment

import (
	"reflect"

	"github.com/parley-debate/parley/bench/puzzle"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bounds"
)

// field says of a field of a file what it means, and what it can be.
type field struct {
	at    any // a pointer to it
	about string
	rule
}

// rule is what a field can be, beside what its type says.
type rule struct {
	required  bool
	hidden    bool // the schema does not offer it
	within    *bounds.Range
	low, high *float64
	values    func() []string
	as        func(about string, r rule) map[string]any // what is no plain number, text or list
}

func at(bound float64) *float64 { return &bound }

// means is a field with at most one rule.
func means(at any, about string, of ...rule) field {
	f := field{at: at, about: about}
	if len(of) > 0 {
		f.rule = of[0]
	}
	return f
}

// described is a structure that files are read into, with what its fields mean, by their places in it.
type described struct {
	shape  reflect.Type
	fields map[int]field
}

// describing finds the places of fields by their addresses in a value.
func describing[T any](list func(*T) []field) described {
	var of T
	v := reflect.ValueOf(&of).Elem()
	d := described{v.Type(), make(map[int]field)}
	for _, f := range list(&of) {
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Field(i).Addr().Interface() == f.at {
				d.fields[i] = f
			}
		}
	}
	return d
}

// meaningOf is what a field of a structure means; nothing is said of those that another list describes, such as
// parameters of sampling.
func meaningOf(shape reflect.Type, place int) field {
	for _, d := range meanings {
		if d.shape == shape {
			return d.fields[place]
		}
	}
	return field{}
}

// meanings are those of all structures of a file. The schema and WriteFields have nothing else.
var meanings = []described{
	describing(func(e *Experiment) []field {
		return []field{
			means(&e.Name, "name of the experiment: letters, digits and _.+-, as in all names here",
				rule{required: true}),
			means(&e.Source, "table or figure that it reproduces"),
			means(&e.Meaning, "question that it answers"),
			means(&e.Notes, "what the source leaves open, what was chosen, how it differs"),
			means(&e.Tasks, "what is asked, each task in a run directory of its own", rule{required: true}),
			means(&e.Conditions, "who is asked, and how", rule{required: true}),
			means(&e.Models, "model of each role that teams name; without one, --team ROLE=FILE gives it",
				rule{as: modelsShape}),
			means(&e.Reference, "condition that others are compared with, question by question; by default the first"),
			means(&e.Controls, "whether controls of the reference are added; by default true"),
			means(&e.Again, "whether the reference is held once more at other seeds where there is one repeat, which "+
				"measures noise"),
			means(&e.Budgets, "what conditions may generate for a question, in lengths of one answer; a condition "+
				"with fill is held at each", rule{as: budgetsShape}),
			means(&e.Repeats, "how often each condition is held on each question, with other seeds; by default once",
				rule{within: &trial.RepeatsRange}),
			means(&e.Seed, "seed of the run and of the draw of questions; by default 1"),
			means(&e.Sampling, "how replies are drawn; by default at temperature 1 with a source, else as the "+
				"model's card says"),
			means(&e.MaxTokens, "most tokens of one reply; by default 1,024, and 256 on the embedded model",
				rule{within: &inference.MaxTokensRange}),
			means(&e.Reasoning, "who sees the reasoning that models mark in their replies; by default nobody",
				rule{values: reasoningModes}),
			means(&e.Stop, "whether replies end at the stop texts of their prompts; by default true. The programs of "+
				"the papers have no stop texts"),
			means(&e.Closing, "whether agents are asked for the answer alone where a reply states none; by default "+
				"only without a source and not on the embedded model"),
			means(&e.Beliefs, "whether it is measured how probable each answer is to an agent before and behind each "+
				"of its messages"),
			means(&e.Published, "numbers of the paper"),
			means(&e.Small, "what replaces parts of it under --small"),
		}
	}),
	describing(func(s *Small) []field {
		return []field{
			means(&s.Tasks, "tasks with names of their own, since no published number applies to them",
				rule{required: true}),
			means(&s.Budgets, "budgets in the miniature; by default those of the experiment", rule{as: budgetsShape}),
			means(&s.Repeats, "repeats in the miniature", rule{low: at(1)}),
			means(&s.MaxTokens, "most tokens of one reply in the miniature", rule{low: at(1)}),
		}
	}),
	describing(func(t *Task) []field {
		return []field{
			means(&t.Name, "name of the task and of its run directory", rule{required: true}),
			means(&t.Family, "benchmark family of the file or the rows", rule{values: familyNames}),
			means(&t.File, "name or pattern, such as *test*, of the one file of the family below the data directories"),
			means(&t.Generated, "number of puzzles to generate, or of sums, or of beginnings of games",
				rule{within: &task.PuzzlesRange}),
			means(&t.Objects, "objects in a generated puzzle; by default 3", rule{within: &task.ObjectsRange}),
			means(&t.Knights, "puzzles of knights, knaves and spies are generated instead"),
			means(&t.Arithmetic, "sums such as 3+14*2+9-7*5 are generated instead of puzzles"),
			means(&t.Chess, "beginnings of games of chess are generated instead, in the form of BIG-bench's "+
				"chess_state_tracking"),
			means(&t.Rows, "the questions, as rows that a file of the family has", rule{as: rowsShape}),
			means(&t.Columns, "of the family own: which columns hold what"),
			means(&t.Questions, "most questions to ask, drawn with the seed", rule{low: at(1)}),
			means(&t.Margin, "ask as many questions, drawn, as an accuracy within this margin needs at 95 % confidence",
				rule{low: at(0), high: at(1)}),
			means(&t.Cluster, "field of the rows whose values are clusters of questions, which intervals and tests "+
				"count"),
			means(&t.Group, "field of the rows whose values are groups with results of their own"),
			means(&t.IDs, "number of a question to ask, from 1", rule{as: sweptShape, low: at(1)}),
			means(&t.Instruction, "text before every question"),
			means(&t.Rule, "answer rule that replaces the family's, for right answers as well as replies",
				rule{values: answer.Names}),
			means(&t.Prompts, "by form of debate: the prompts of conditions that name none; society words the "+
				"controls too", rule{as: wordingsShape}),
		}
	}),
	describing(func(k *Knights) []field {
		return []field{
			means(&k.Players, "players of each puzzle of knights, knaves and spies",
				rule{required: true, within: &puzzle.PlayersRange}),
			means(&k.Spies, "spies among the players; by default 1", rule{within: &puzzle.SpiesRange}),
			means(&k.Hints, "hints besides the number of spies", rule{within: &puzzle.HintsRange}),
		}
	}),
	describing(func(c *task.Columns) []field {
		return []field{
			means(&c.Question, "column of the question"),
			means(&c.Answer, "column of the right answer"),
			means(&c.Choices, "column with the list of choices, or a column for each", rule{as: choicesShape}),
			means(&c.By, "how an answer names its choice; by default the way that fits the rows",
				rule{values: task.Ways}),
			means(&c.Passage, "column of a text that is asked before the question, such as an article; - is none"),
			means(&c.Kind, "column that says of which kind each row's answer is"),
			means(&c.Only, "the kind of the rows that are read, of a file that mixes kinds"),
			means(&c.Facts, "column of facts about the question"),
		}
	}),
	describing(func(c *Condition) []field {
		return []field{
			means(&c.Name, "name of the condition; by default that of the protocol"),
			means(&c.Meaning, "explanation below the table; by default that of the protocol"),
			means(&c.Protocol, "name of a protocol of the program, or a file, looked for beside the experiment first",
				rule{required: true, as: protocolShape}),
			means(&c.Set, "settings that replace the protocol's", rule{as: settingsShape}),
			means(&c.Sweep, "values of settings, listed or as 1..80: each combination is a condition, such as "+
				"mad/agents=3", rule{as: sweepShape}),
			means(&c.Budget, "what it may generate for a question, in lengths of one answer: held only at this one of "+
				"the experiment's budgets", rule{within: &BudgetRange}),
			means(&c.Fill, "what fills each budget, the number of agents or rounds or the length of their reasoning: "+
				"a condition NAME-BUDGET for every one that takes two or more", rule{values: fills}),
			means(&c.After, "condition whose transcripts it builds on"),
			means(&c.Optional, "held only where the command line asks for it (--methods)"),
			means(&c.Once, "held only once on each question, whatever the number of repeats"),
			means(&c.Candidates, "held only on questions on which two answers of that condition each have more than "+
				"this share", rule{low: at(0), high: at(0.5)}),
			means(&c.Oracle, "right if any agent of the last round is right"),
			means(&c.Small, "set and sweep under --small, which replace the others setting by setting"),
		}
	}),
	describing(func(s *SmallCondition) []field {
		return []field{
			means(&s.Set, "", rule{as: settingsShape}),
			means(&s.Sweep, "", rule{as: sweepShape}),
		}
	}),
	describing(func(m *debate.Member) []field {
		return []field{
			means(&m.Name, "as the others and records see it"),
			means(&m.Persona, "replaces the system message"),
			means(&m.Method, "how it is to reason: one of the prompts' methods, or an instruction"),
			means(&m.Memory, "how many of its own latest replies it still sees; 0 is all"),
			means(&m.Model, "a GGUF file, looked for next to the experiment first, a name of parley models, or a "+
				"role of models"),
			means(&m.Tool, "what its replies may call, as the setting tool of all"),
			means(&m.Human, "", rule{hidden: true}),
		}
	}),
	describing(func(t *spec.Tests) []field {
		return []field{
			means(&t.Equivalence, "difference of accuracies up to which conditions are called equivalent",
				rule{within: &spec.DifferenceRange}),
			means(&t.Contrasts, "difference between conditions to test, such as a - b or (a, b) - c; a star stands "+
				"for all swept values, by tokens compares another measure than accuracy, within 0.05 tests "+
				"whether both sides are equivalent, and on x, y restricts it to tasks"),
		}
	}),
	describing(func(p *Published) []field {
		return []field{
			means(&p.Model, "model that the paper used", rule{required: true}),
			means(&p.From, "table or figure of the paper", rule{required: true}),
			means(&p.Task, "task of this experiment"),
			means(&p.Condition, "condition, control or sweep, or the mean of a group, as (simple, ranked), or of a "+
				"sweep, as mad/agents=*; without it, values has the names of conditions"),
			means(&p.Contrast, "one of the contrasts, such as a - b by f1 on x, in the place of task, condition and "+
				"measure; on several tasks it is their average"),
			means(&p.Measure, "measure; by default accuracy", rule{as: measureShape}),
			means(&p.Value, "number of one condition, group, sweep or contrast; percentages as shares"),
			means(&p.Deviation, "standard deviation over repeats"),
			means(&p.Values, "several numbers, by the values of the sweep's one setting or by the names of conditions",
				rule{as: numbersShape}),
			means(&p.Fit, "regression over the debates of all tasks and conditions on puzzles of knights, in the "+
				"place of all but model and from"),
		}
	}),
	describing(func(f *Fit) []field {
		return []field{
			means(&f.Outcome, "what is explained: the final smooth accuracy, or the area under agreement in a majority",
				rule{required: true, values: fitOutcomes}),
			means(&f.N, "number of debates", rule{required: true, low: at(1)}),
			means(&f.R2, "share of the variance that is explained", rule{required: true, low: at(0), high: at(1)}),
			means(&f.Adjusted, "the same, adjusted; at most r2", rule{required: true}),
			means(&f.Coefficients, "by predictor: the estimate and its standard error",
				rule{required: true, as: coefficientsShape}),
		}
	}),
}
