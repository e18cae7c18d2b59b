package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// generation is one of so many tokens.
func generation(tokens int) inference.Generation {
	return inference.Generation{Reply: inference.Reply{Tokens: tokens}}
}

// TestBudgetOfTokens: the engine is told once, after the generation that uses up the budget was recorded. A second run
// of the same command begins with nothing left.
func TestBudgetOfTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []error
		b := budget{limit: spec.Budget{Tokens: 100}}
		recorded := 0
		count := b.countTokens(func(inference.Generation) error { recorded++; return nil })
		end := b.start(func(err error) { told = append(told, err) })
		for i, tokens := range []int{60, 39, 1, 5} {
			if err := count(generation(tokens)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if want := i / 2; len(told) != min(1, want) {
				t.Fatalf("after generation %d, of 100 tokens from the third on, it is told %v, want %d errors", i, told,
					min(1, want))
			}
		}
		end()
		if recorded != 4 || !errors.As(told[0], new(budgetUsed)) || !strings.Contains(told[0].Error(),
			"100 tokens generated") {
			t.Errorf("a budget of 100 tokens recorded %d generations and told %v, want 4 and that it is used", recorded,
				told)
		}
		b.start(func(err error) { told = append(told, err) })()
		synctest.Wait()
		if len(told) != 2 {
			t.Errorf("the second run was told %v, want 2 of them", told)
		}
		failed := errors.New("disk full")
		if err := b.countTokens(func(inference.Generation) error { return failed })(generation(9)); err != failed ||
			b.tokens != 105 {
			t.Errorf("%v, %d tokens; want %v and 105", err, b.tokens, failed)
		}
	})
}

// TestBudgetOfTime: the engine is told when the time is over, and not after the run has ended.
func TestBudgetOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := 0
		b := budget{limit: spec.Budget{Time: time.Hour}}
		end := b.start(func(error) { told++ })
		time.Sleep(59 * time.Minute)
		synctest.Wait()
		if told != 0 {
			t.Errorf("within the budget of time it is told %d times, want none", told)
		}
		end()
		defer b.start(func(error) { told++ })() // the next task
		time.Sleep(time.Minute)
		synctest.Wait()
		if told != 1 {
			t.Errorf("told %d times, want 1", told)
		}
	})
}

// TestBudgetMore: what is left is foretold by what was done.
func TestBudgetMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget{limit: spec.Budget{Tokens: 1}}
		defer b.start(func(error) {})()
		if text := b.more(9); !strings.Contains(text, "--dry-run") {
			t.Errorf(`%v, want a text with "--dry-run"`, text)
		}
		count := b.countTokens(func(inference.Generation) error { return nil })
		held := func(key string) (o trial.Outcome) {
			turn := debate.Turn{}
			turn.Reply.Key = key
			o.Transcript.Rounds = [][]debate.Turn{{turn}}
			return o
		}
		named := generation(600)
		named.Reply.Key = "shared"
		count(named)
		time.Sleep(time.Minute)
		b.countDebate(held("shared"))
		b.countDebate(held("shared"))
		if text := b.more(3); text != "; at this rate the other 3 debates take up to 900 tokens more, in 1m30s" {
			t.Errorf("%v, want %q", text, "; at this rate the other 3 debates take up to 900 tokens more, in 1m30s")
		}
		// 1,200 tokens for debates that have not ended: the others need 16 times 300 tokens, less these
		named = generation(1200)
		named.Reply.Key = "open"
		count(named)
		time.Sleep(2 * time.Minute)
		if text := b.more(16); text != "; the other 16 debates take from 3,600 to 14,400 tokens more, in 6m0s to "+
			"24m0s: "+
			"2 debates ended so far" {
			t.Error(text)
		}
	})
}

// TestBudgetForeseen: the forecasts of all tasks count together against each limit, in the text and in JSON.
func TestBudgetForeseen(t *testing.T) {
	forecast := bench.Forecast{Calls: 3}
	forecast.Stats.Decoded = 60
	forecast.Time.Expected = 90_000
	if (&budget{}).foresee(forecast) != nil {
		t.Error("without a budget something is foreseen, want nothing")
	}
	for limit, want := range map[spec.Budget][2]bool{
		{Tokens: 120}:                        {true, true},
		{Tokens: 119}:                        {true, false},
		{Tokens: 59}:                         {false, false},
		{Time: 3 * time.Minute}:              {true, true},
		{Time: 2 * time.Minute}:              {true, false},
		{Tokens: 60, Time: time.Hour}:        {true, false},
		{Tokens: 1_000, Time: 8 * time.Hour}: {true, true},
	} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			b := budget{limit: limit}
			for i, enough := range want {
				if got := b.foresee(forecast); got.Enough != enough || got.Takes.Tokens != 60*(i+1) ||
					got.Takes.Time != 90_000*float64(i+1) {
					t.Errorf("a budget of %s, task %d: foreseen is %+v, want enough %v, of %d tokens and %g ms", limit,
						i, *got, enough, 60*(i+1), 90_000*float64(i+1))
				}
			}
		})
	}
	b := budget{limit: spec.Budget{Tokens: 59}}
	said := b.foresee(forecast)
	const line = "budget         --tokens 59, of which this takes about 60 tokens and 1m30s: " +
		"not enough: the run will stop, and can be resumed\n"
	if said.String() != line {
		t.Errorf("%v, want said.String() = %v", said, line)
	}
	text, err := json.Marshal(budgeted{forecast, said})
	if err != nil || !strings.Contains(string(text), `"calls":3,`) || !strings.HasSuffix(string(text),
		`"budget":{"tokens":59,"takes":{"tokens":60,"time_ms":90000},"enough":false}}`) {
		t.Errorf("a budget of 59 tokens that takes 60 is not enough, and JSON says so: got %s, %v", text, err)
	}
}
