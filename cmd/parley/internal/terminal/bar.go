package terminal

import (
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress is how far something is: the share that is done, below 0 if that is unknown, and what is told of it, the
// more important first.
type Progress struct {
	Share float64
	Line  string
	Parts []string
}

// ShowBar draws a bar on a terminal after a delay and then every second, and what is told behind it as far as there is
// room, until the function that it returns removes them.
func ShowBar(drawn *os.File, delay time.Duration, progress func() Progress) (stop func()) {
	bar := newBar(drawn)
	return redraw(drawn, delay, func() { bar.draw(progress(), columns(drawn)) })
}

// bar is a line on a terminal.
type bar struct {
	to io.Writer
	of *progressbar.ProgressBar
}

// steps is the number of shares that a bar tells apart, and beside the columns that it takes next to what is told.
const (
	steps  = 1000
	beside = len("   0% [..........]   ")
)

func newBar(to io.Writer) bar {
	return bar{to, progressbar.NewOptions(steps, progressbar.OptionSetWriter(to), progressbar.OptionSetWidth(10),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "#", SaucerPadding: ".", BarStart: "[", BarEnd: "]"}),
		progressbar.OptionSetPredictTime(false), progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionUseANSICodes(true))}
}

// draw replaces the line, which stays narrower than so many columns.
func (b bar) draw(p Progress, columns int) {
	if math.IsNaN(p.Share) || p.Share < 0 {
		fmt.Fprint(b.to, "\r\x1b[K", Line(p.Line, p.Parts, columns-1))
		return
	}
	// A full bar would count as the end. Errors mean that the terminal is gone, which its next line shows.
	_ = b.of.Set(int(min(p.Share*steps, steps-1)))
	b.of.Describe(Line(p.Line, p.Parts, columns-2-beside))
}

// ShowSteps shows so many steps, of which the caller tells each as it begins, until end: a bar on a terminal, elsewhere
// a line for each.
func ShowSteps(out io.Writer, total int) (begin func(step string), end func()) {
	var mu sync.Mutex
	began, what, stop := -1, "", func() {}
	drawn := Of(out)
	return func(step string) {
		mu.Lock()
		defer mu.Unlock()
		if began, what = began+1, step; drawn == nil {
			fmt.Fprintln(out, step)
		} else if began == 0 {
			stop = ShowBar(drawn, 0, func() Progress {
				mu.Lock()
				defer mu.Unlock()
				return Progress{Share: float64(began) / float64(max(1, total)), Line: what}
			})
		}
	}, func() { stop() }
}
