package samples

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
)

// matched are the samples of the questions that all systems have, in the order of a run: by question, repeat and
// system. Questions are told apart by their ids, or by their texts where an id has several, or where more match so.
func (s Samples) matched() (systems []string, matched []Sample, notes []string, err error) {
	for _, one := range s.All {
		if !slices.Contains(systems, one.System) {
			systems = append(systems, one.System)
		}
	}
	conflict, texts := s.told()
	samples := s.All
	common, left := commonTo(systems, samples)
	if texts != nil {
		if byText, leftThen := commonTo(systems, texts); conflict != "" || len(byText) > len(common) {
			samples, common, left = texts, byText, leftThen
			notes = append(notes, "questions are matched by their texts, not by their ids")
		}
	} else if conflict != "" {
		return nil, nil, nil, fmt.Errorf("question %.60s is not the same in all files, and not all samples have a "+
			"text by which they could be matched", conflict)
	}
	if len(common) == 0 {
		return nil, nil, nil, fmt.Errorf("no question is in the samples of all of %s", strings.Join(systems, ", "))
	}
	place := make(map[string]int, len(common))
	for i, q := range common {
		place[q] = i
	}
	matched = slices.DeleteFunc(slices.Clone(samples), func(one Sample) bool {
		_, ok := place[one.Question]
		return !ok
	})
	if err := count(matched); err != nil {
		return nil, nil, nil, err
	}
	order := make(map[string]int, len(systems))
	for i, name := range systems {
		order[name] = i
	}
	slices.SortStableFunc(matched, func(a, b Sample) int {
		return cmp.Or(place[a.Question]-place[b.Question], a.Repeat-b.Repeat, order[a.System]-order[b.System])
	})
	return systems, matched, slices.Concat(notes, left), nil
}

// told finds a question whose id stands for several texts, "" if there is none, and the samples with the texts in place
// of their ids: each named by the first id that it has, with a number where that is taken. They are nil where a sample
// has no text.
func (s Samples) told() (conflict string, byText []Sample) {
	of, named, taken := map[string]string{}, map[string]string{}, map[string]bool{}
	byText = make([]Sample, 0, len(s.All))
	for _, one := range s.All {
		text := strings.Join(strings.Fields(one.Digest), " ")
		if was, seen := of[one.Question]; seen && was != text && conflict == "" {
			conflict = one.Question
		}
		of[one.Question] = text
		if byText == nil || text == "" {
			byText = nil
			continue
		}
		name, known := named[text]
		if !known {
			name = one.Question
			for n := 2; taken[name]; n++ {
				name = fmt.Sprintf("%s/%d", one.Question, n)
			}
			named[text], taken[name] = name, true
		}
		one.Question = name
		byText = append(byText, one)
	}
	return conflict, byText
}

// commonTo returns the questions that all systems have, in the order of the samples, and sentences on the others.
func commonTo(systems []string, samples []Sample) (questions, left []string) {
	has := map[string]map[string]bool{}
	for _, one := range samples {
		if has[one.Question] == nil {
			has[one.Question] = map[string]bool{}
			questions = append(questions, one.Question)
		}
		has[one.Question][one.System] = true
	}
	alone := map[string][]string{}
	questions = slices.DeleteFunc(questions, func(q string) bool {
		if len(has[q]) == len(systems) {
			return false
		}
		by := strings.Join(slices.Sorted(maps.Keys(has[q])), ", ")
		alone[by] = append(alone[by], fmt.Sprintf("%.40s", q))
		return true
	})
	for _, by := range slices.Sorted(maps.Keys(alone)) {
		list, more := alone[by], ""
		if len(list) > 5 {
			list, more = list[:5], " and others"
		}
		left = append(left, fmt.Sprintf("left out: %s that only the samples of %s have: %s%s",
			wording.Count(len(alone[by]), "question"), by, strings.Join(list, ", "), more))
	}
	return questions, left
}

// count numbers the repeats that a log does not count, and refuses two samples of one number.
func count(samples []Sample) error {
	type at struct {
		question, system string
		repeat           int
	}
	seen := make(map[at]string, len(samples))
	next := map[at]int{}
	for i := range samples {
		one := &samples[i]
		if one.Repeat < 0 {
			whose := at{one.Question, one.System, 0}
			one.Repeat = next[whose]
			next[whose]++
		}
		where := at{one.Question, one.System, one.Repeat}
		switch was, twice := seen[where]; {
		case twice:
			return fmt.Errorf("%s and %s are both repeat %d of question %.60s by %s: name the systems apart, as in "+
				"NAME=FILE, or give each repeat its own number", was, one.Place, one.Repeat+1, one.Question, one.System)
		case one.Repeat >= trial.MostTimes:
			return fmt.Errorf("%s: repeat %d; at most %d are read", one.Place, one.Repeat+1, trial.MostTimes)
		}
		seen[where] = one.Place
	}
	return nil
}
