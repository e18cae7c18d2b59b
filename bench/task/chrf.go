package task

import (
	"slices"
	"unicode"
)

// longestGram is the length of the longest n-grams that count.
const longestGram = 6

// chrF returns the character F-score of Popović (2015), from 0 to 1, as it is commonly computed: over n-grams of one
// to six characters without white space, with precision and recall averaged over the lengths that both texts have, and
// with recall weighted twice.
func chrF(text, reference string) float64 {
	texts := make(gramNumbers)
	return texts.profile(text).chrF(texts.profile(reference))
}

// gramNumbers numbers the n-grams of several texts, so that these can be compared with each other fast.
type gramNumbers map[string]int

// profile counts the n-grams of a text.
type profile struct {
	characters int
	grams      [longestGram][]counted // by length less one, sorted by id
}

// counted is how often an n-gram occurs.
type counted struct{ id, times int }

// profile counts the n-grams of a text. It can be compared with the other profiles of these numbers.
func (t gramNumbers) profile(text string) profile {
	characters := slices.DeleteFunc([]rune(text), unicode.IsSpace)
	p := profile{characters: len(characters)}
	for n := 1; n <= min(longestGram, len(characters)); n++ {
		times := make(map[int]int)
		for i := range len(characters) - n + 1 {
			gram := string(characters[i : i+n])
			if _, known := t[gram]; !known {
				t[gram] = len(t)
			}
			times[t[gram]]++
		}
		for id, k := range times {
			p.grams[n-1] = append(p.grams[n-1], counted{id, k})
		}
		slices.SortFunc(p.grams[n-1], func(a, b counted) int { return a.id - b.id })
	}
	return p
}

// chrF is the F-score of the text with this profile.
func (p profile) chrF(reference profile) float64 {
	precision, recall, lengths := 0.0, 0.0, 0.0
	for n := 1; n <= min(longestGram, p.characters, reference.characters); n++ {
		common := float64(inCommon(p.grams[n-1], reference.grams[n-1]))
		precision += common / float64(p.characters-n+1)
		recall += common / float64(reference.characters-n+1)
		lengths++
	}
	if precision+recall == 0 {
		return 0
	}
	return 5 * precision * recall / (4*precision + recall) / lengths
}

// inCommon returns the size of the intersection of two multisets.
func inCommon(a, b []counted) (n int) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].id < b[j].id:
			i++
		case a[i].id > b[j].id:
			j++
		default:
			n += min(a[i].times, b[j].times)
			i, j = i+1, j+1
		}
	}
	return n
}
