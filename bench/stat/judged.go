package stat

import (
	"errors"
	"fmt"
	"math"
)

// Judged counts what a judge says of answers of which it is known whether they are right.
type Judged struct {
	RightYes int `json:"right_yes"` // right answers that the judge calls right
	RightNo  int `json:"right_no"`
	WrongYes int `json:"wrong_yes"` // wrong answers that the judge calls right
	WrongNo  int `json:"wrong_no"`
}

// Add counts one answer.
func (j *Judged) Add(right, yes bool) {
	switch {
	case right && yes:
		j.RightYes++
	case right:
		j.RightNo++
	case yes:
		j.WrongYes++
	default:
		j.WrongNo++
	}
}

// N is the number of answers.
func (j Judged) N() int { return j.Rights() + j.Wrongs() }

// Rights is how many answers are right, and Wrongs how many are wrong.
func (j Judged) Rights() int { return j.RightYes + j.RightNo }

// Wrongs is described at Rights.
func (j Judged) Wrongs() int { return j.WrongYes + j.WrongNo }

// Same is how many answers the judge calls what they are.
func (j Judged) Same() int { return j.RightYes + j.WrongNo }

// Kappa is Cohen's (Educational and Psychological Measurement 20, 1960, 37-46): the agreement of the judge with the
// truth beyond that by chance, (po - pe) / (1 - pe), where po is the share of answers that the judge calls what they
// are, and pe what that share would be if the judge's verdicts fell on the answers at random. known is false if pe is
// 1, or there are no answers.
func (j Judged) Kappa() (kappa float64, known bool) {
	n := float64(j.N())
	yes := float64(j.RightYes+j.WrongYes) / n
	right := float64(j.Rights()) / n
	pe := yes*right + (1-yes)*(1-right)
	if n == 0 || pe == 1 {
		return 0, false
	}
	return (float64(j.Same())/n - pe) / (1 - pe), true
}

// alphaOfJudges is the level at which a judge has to be better than one that says yes of right and of wrong answers
// alike.
const alphaOfJudges = 0.05

// Correctable returns why accuracies by the judge cannot be corrected, nil if they can.
func (j Judged) Correctable() error {
	first, second := Asked{j.RightYes, j.Rights()}, Asked{j.WrongYes, j.Wrongs()}
	switch {
	case j.N() == 0:
		return errors.New("no answer has a label")
	case j.Rights() == 0:
		return errors.New("no answer is labelled as right, so that it is not known how many of these the judge finds")
	case j.Wrongs() == 0:
		return errors.New("no answer is labelled as wrong, so that it is not known how many of these the judge finds")
	case j.excess() <= 0:
		return fmt.Errorf("the judge is no better than chance: it says yes of %d of %d right answers, and of %d of %d "+
			"wrong ones", j.RightYes, j.Rights(), j.WrongYes, j.Wrongs())
	}
	if p := Fisher(first, second); p > alphaOfJudges {
		return fmt.Errorf("the labels do not show that the judge is better than chance: it says yes of %d of %d right "+
			"answers, and of %d of %d wrong ones (Fisher's exact test: p = %.3f)", j.RightYes, j.Rights(), j.WrongYes,
			j.Wrongs(), p)
	}
	return nil
}

// excess is the share of right answers that the judge calls right minus the share of wrong ones: q0 + q1 - 1.
func (j Judged) excess() float64 {
	return Share(j.RightYes, j.Rights()) - Share(j.WrongYes, j.Wrongs())
}

// Corrected is the share of answers that are right, where the judge calls a share p of n answers right. The estimate is
// Rogan and Gladen's (American Journal of Epidemiology 107, 1978, 71-76),
//
//	theta = (p + q0 - 1) / (q0 + q1 - 1),
//
// from 0 to 1, where q1 is the share of right answers that the judge calls right, and q0 the share of wrong ones that
// it calls wrong, among the m1 right and m0 wrong answers of the labels. The interval is that of Lee et al. (How to
// Correctly Report LLM-as-a-Judge Evaluations, arXiv 2511.21140): with z the normal quantile of the level and
//
//	p' = (n p + z²/2) / (n + z²), n' = n + z², q' = (m q + 1) / (m + 2), m' = m + 2 (for q0 and q1 alike),
//	theta' = (p' + q0' - 1) / (q0' + q1' - 1),
//	shift = 2 z² (theta' q1' (1 - q1') / m1' - (1 - theta') q0' (1 - q0') / m0'),
//	se = sqrt(p' (1 - p') / n' + (1 - theta')² q0' (1 - q0') / m0' + theta'² q1' (1 - q1') / m1') / (q0' + q1' - 1),
//
// it is theta' + shift ± z se, from 0 to 1, and holds the estimate. It takes the labels for answers other than the n;
// where they are among these, it is wider than it need be. possible is false if all of it is above 1 or below 0: the
// judge cannot err among the n as it does among the labels. The judge must be Correctable.
func (j Judged) Corrected(p float64, n int, level float64) (theta float64, interval Interval, possible bool) {
	if err := j.Correctable(); err != nil {
		panic(err)
	}
	theta = within((p - Share(j.WrongYes, j.Wrongs())) / j.excess())
	z := quantile(level)
	smooth := func(part, of int) (q, variance float64) {
		q = float64(part+1) / float64(of+2)
		return q, q * (1 - q) / float64(of+2)
	}
	q1, v1 := smooth(j.RightYes, j.Rights())
	q0, v0 := smooth(j.WrongNo, j.Wrongs())
	size := float64(n) + z*z
	share := (float64(n)*p + z*z/2) / size
	middle := (share + q0 - 1) / (q0 + q1 - 1)
	shift := 2 * z * z * (middle*v1 - (1-middle)*v0)
	se := math.Sqrt(share*(1-share)/size+(1-middle)*(1-middle)*v0+middle*middle*v1) / (q0 + q1 - 1)
	low, high := middle+shift-z*se, middle+shift+z*se
	return theta, Interval{within(low), within(high)}.holding(theta), low < 1 && high > 0
}
