package analysis

import "testing"

// TestVariances is worked by hand: chances of 1, 1/2 and 0 with a sampling variance of 1/2 on one of three questions.
func TestVariances(t *testing.T) {
	c := tabulated(0, []string{"rr", "rw", "ww"}, []string{"r", "w", "w"})
	v := c.Rows[0].Variances
	if v == nil || v.Questions != 3 || v.Within != 1./6 || v.Between < 1./6-1e-12 || v.Between > 1./6+1e-12 {
		t.Fatalf("of 3 questions the variances within and between are both 1/6: got %+v", v)
	}
	if c.Rows[1].Variances != nil {
		t.Error("questions that were asked once have a sampling variance, want none")
	}
}
