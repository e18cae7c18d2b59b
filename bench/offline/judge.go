package offline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/inference"
)

// Judging is how a model judges the decisions of a run.
type Judging struct {
	Blind  bool    // the judge is not shown the target
	Labels *Labels // what it is compared with; nil for the recorded scores
}

// What a judge may say where its engine keeps replies to a grammar, and the bounds on its replies with it and without.
const (
	verdictGrammar    = `root ::= "yes" | "no" | "Yes" | "No"`
	mostVerdictTokens = 16
	mostJudgeTokens   = inference.DefaultMaxTokens
)

// judged is one debate whose decision is judged.
type judged struct {
	trial.Outcome
	prompt string // "" if nothing was decided
}

// Judge asks a judge about each different decision on a question once, and returns what it says under each condition.
// Bounds such as oracle decide nothing, and are left out.
func Judge(ctx context.Context, r rundir.Run, how Judging, judge inference.Engine) (Judgement, error) {
	all, prompts, err := how.debates(r)
	if err != nil {
		return Judgement{}, err
	}
	truth, err := how.truth(all)
	if err != nil {
		return Judgement{}, err
	}
	verdicts, err := ask(ctx, prompts, judge)
	if err != nil {
		return Judgement{}, err
	}
	j := Judgement{Version: JudgementVersion, Model: judge.Model(), Blind: how.Blind, Answers: len(prompts)}
	if how.Labels != nil {
		j.Labels = &how.Labels.File
	}
	for _, prompt := range prompts {
		if right, known := truth[prompt]; known {
			j.Agreement.Add(right, verdicts[prompt].Text == answerYes)
		}
		if !verdicts[prompt].Parsed {
			j.Unread++
		}
	}
	for _, name := range r.Header.Conditions {
		of := slices.DeleteFunc(slices.Clone(all), func(d judged) bool { return d.Condition != name })
		if len(of) > 0 {
			j.Conditions = append(j.Conditions, j.under(name, of, verdicts, truth))
		}
	}
	return j, nil
}

// debates lists the debates that are judged, and the different prompts about them.
func (how Judging) debates(r rundir.Run) (all []judged, prompts []string, err error) {
	conditions, err := r.Header.ConditionsOf()
	if err != nil {
		return nil, nil, err
	}
	asked, known := make(map[string]string), make(map[string]bool) // known are prompts
	for _, o := range r.Outcomes {
		if asked[o.Question] == "" {
			asked[o.Question] = o.Transcript.Asked()
		}
	}
	for _, o := range r.Outcomes {
		bound := slices.ContainsFunc(conditions, func(c trial.Condition) bool {
			return c.Name == o.Condition && c.Oracle
		})
		if o.Failed() || bound {
			continue
		}
		d := judged{Outcome: o}
		if decision := o.Transcript.Decision.Answer; decision.Parsed {
			d.prompt = how.prompt(asked[o.Question], o.Target, decision.Text)
		}
		if d.prompt != "" && !known[d.prompt] {
			known[d.prompt], prompts = true, append(prompts, d.prompt)
		}
		all = append(all, d)
	}
	if len(prompts) == 0 {
		return nil, nil, errors.New("no debate has a decision: there is nothing to judge")
	}
	return all, prompts, nil
}

// prompt asks whether an answer is right.
func (how Judging) prompt(question, target, given string) string {
	reference := "Reference answer:\n" + strings.TrimSpace(target) + "\n\n"
	if how.Blind {
		reference = ""
	}
	return "Below are what somebody was asked and the answer that was given. Judge whether the answer is correct.\n\n" +
		"Question:\n" + strings.TrimSpace(question) + "\n\n" + reference +
		"Answer given:\n" + strings.TrimSpace(given) + "\n\nIs the answer given correct? Reply with yes or no."
}

// truth returns which answers are right, by their prompts. An answer that has several labels has one of them.
func (how Judging) truth(all []judged) (map[string]bool, error) {
	truth := make(map[string]bool)
	for _, d := range all {
		if d.prompt == "" {
			continue
		}
		right, known := d.IsRight(d.Transcript.Decision.Answer), true
		if how.Labels != nil {
			right, known = how.Labels.labels[scored{d.Condition, d.Question, d.Repeat}]
		}
		if before, had := truth[d.prompt]; known && had && before != right {
			return nil, fmt.Errorf("question %s: the answer %.60q is labelled as right and as wrong", d.Question,
				d.Transcript.Decision.Answer.Text)
		}
		if known {
			truth[d.prompt] = right
		}
	}
	return truth, nil
}

// answerYes is how our reader of yes and no writes what a judge says of right answers.
const answerYes = "yes"

// ask returns what a judge says of each prompt.
func ask(ctx context.Context, prompts []string, judge inference.Engine) (map[string]answer.Answer, error) {
	read, err := reader.Rule(answer.KindYesNo.Reader())
	if err != nil {
		return nil, err
	}
	participant := judge.Join(0)
	defer participant.Leave()
	var requests []inference.Request
	for i, prompt := range prompts {
		request := inference.Request{Messages: []inference.Message{{Role: "user", Content: prompt}},
			Name: fmt.Sprintf("judge answer %d", i+1), Sample: i, MaxTokens: mostJudgeTokens, EndLoops: true}
		if judge.Model().Remote == nil {
			request.MaxTokens, request.EndLoops, request.Grammar = mostVerdictTokens, false, verdictGrammar
		}
		requests = append(requests, request)
	}
	replies, err := participant.Generate(ctx, requests)
	if err != nil {
		return nil, err
	}
	verdicts := make(map[string]answer.Answer)
	for i, reply := range replies {
		if reply.Err != nil {
			return nil, fmt.Errorf("answer %d: %w", i+1, reply.Err)
		}
		verdicts[prompts[i]] = read(reply.Text)
	}
	return verdicts, nil
}
