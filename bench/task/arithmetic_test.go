package task

import (
	"fmt"
	"testing"
)

// TestArithmetic: sums are right, differ, and do not depend on how many there are; both rules read their results.
func TestArithmetic(t *testing.T) {
	few, err := GenerateArithmetic(20, 3)
	if err != nil {
		t.Fatal(err)
	}
	many, err := GenerateArithmetic(2000, 3)
	if err != nil {
		t.Fatal(err)
	}
	negative, seen := 0, map[string]bool{}
	for i, q := range many.Questions {
		if i < len(few.Questions) && (few.Questions[i].ID != q.ID || few.Questions[i].Text != q.Text) {
			t.Errorf("the first sums do not depend on how many are asked for: got %q as %d of few, %q of many",
				few.Questions[i].Text, i, q.Text)
		}
		var a, b, c, d, e, f int
		if n, err := fmt.Sscanf(q.Text, "%d+%d*%d+%d-%d*%d", &a, &b, &c, &d, &e, &f); n != 6 || err != nil {
			t.Fatalf("%q: %d numbers, %v; want 6 and no error", q.Text, n, err)
		}
		want := a + b*c + d - e*f
		if q.Target != fmt.Sprint(want) || !q.Truth.Parsed || max(a, b, c, d, e, f) > 29 {
			t.Errorf("%s: the answer is %d of numbers up to 29, got %s, %+v", q.Text, want, q.Target, q.Truth)
		}
		if !many.Extract("It is " + q.Target).Equal(q.Truth) {
			t.Errorf("the rule reads %s as %+v: got %+v", q.Target, q.Truth, many.Extract("It is "+q.Target))
		}
		if want < 0 {
			negative++
		}
		seen[q.Text] = true
	}
	if len(seen) != 2000 || negative < 500 || few.Hash != many.Hash || many.Guess > 0.05 {
		t.Errorf("2,000 sums are all different, 500 or more negative, of one hash, with a guess of 0.05 or less: "+
			"got %d, %d negative, guess %.3f", len(seen), negative, many.Guess)
	}
	for _, count := range []int{0, -1, 1 << 30} {
		t.Run(fmt.Sprint(count), func(t *testing.T) {
			if _, err := GenerateArithmetic(count, 1); err == nil {
				t.Errorf("%d sums were made, want an error", count)
			}
		})
	}
}
