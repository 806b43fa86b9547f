package magic

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hierml/notebook/stdlib/host"
)

// A moment is a reading of the clocks.
type moment struct {
	wall         time.Time
	user, system time.Duration // of this process and its children
}

func now() moment {
	user, system := cpuTimes()
	return moment{time.Now(), user, system}
}

// timers holds the timers that running cells have started and not stopped.
var timers = struct {
	sync.Mutex
	started map[context.Context][]moment
}{started: map[context.Context][]moment{}}

// maxTimers bounds how many cells have timers: those of failed cells are never stopped.
const maxTimers = 64

// StartTimer starts a measurement: %time. StopTimer ends it.
func StartTimer() {
	ctx := host.Current().Context()
	timers.Lock()
	defer timers.Unlock()
	if len(timers.started) >= maxTimers {
		clear(timers.started)
	}
	timers.started[ctx] = append(timers.started[ctx], now())
}

// StopTimer prints the elapsed time and the processor time of this process since the cell's last
// StartTimer that is not stopped yet.
func StopTimer() {
	end := now()
	ctx := host.Current().Context()
	timers.Lock()
	stack := timers.started[ctx]
	var begin moment
	if n := len(stack); n > 0 {
		begin = stack[n-1]
		timers.started[ctx] = stack[:n-1]
		if n == 1 {
			delete(timers.started, ctx)
		}
	}
	timers.Unlock()
	if begin.wall.IsZero() {
		panic("magic.StopTimer without magic.StartTimer")
	}
	user, system := end.user-begin.user, end.system-begin.system
	say("CPU times: user %s, sys %s, total %s\nWall time: %s",
		duration(user), duration(system), duration(user+system), duration(end.wall.Sub(begin.wall)))
}

// The default number of runs of TimeIt, and the minimum time of one.
const (
	timeItRuns = 7
	timeItTime = 200 * time.Millisecond
)

// TimeIt measures the code that f repeats n times: %timeit. It finds a number of loops that takes
// long enough to measure, and prints the mean and the standard deviation of the time of one loop
// over several runs. If loops and runs are not 0, it uses these numbers.
func TimeIt(loops, runs int, f func(n int)) {
	ctx := host.Current().Context()
	measure := func(n int) time.Duration {
		begin := time.Now()
		f(n)
		return time.Since(begin)
	}
	if runs <= 0 {
		runs = timeItRuns
	}
	for step := 0; loops <= 0; step++ {
		n := round(step)
		took := measure(n)
		if ctx.Err() != nil {
			return // the cell was interrupted
		}
		if took >= timeItTime || n >= math.MaxInt32 {
			loops = n
		}
	}
	times := make([]float64, runs) // of a loop, in seconds
	for i := range times {
		times[i] = measure(loops).Seconds() / float64(loops)
		if ctx.Err() != nil {
			return
		}
	}
	mean, deviation := statistics(times)
	say("%s per loop (mean ± std. dev. of %s, %s each)", spread(mean, deviation), plural(runs, "run"), plural(loops, "loop"))
}

// round returns 1, 2, 5, 10, 20, 50, ...
func round(step int) int {
	n := [3]int{1, 2, 5}[step%3]
	for range step / 3 {
		n *= 10
	}
	return n
}

func statistics(xs []float64) (mean, deviation float64) {
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	for _, x := range xs {
		deviation += (x - mean) * (x - mean) / float64(len(xs))
	}
	return mean, math.Sqrt(deviation)
}

// A unit of time.
type unit struct {
	name    string
	seconds float64
}

// unitOf returns the best unit for a number of seconds.
func unitOf(seconds float64) unit {
	for _, u := range []unit{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}} {
		if seconds >= 0.9995*u.seconds { // including what rounds to it
			return u
		}
	}
	return unit{"ns", 1e-9}
}

// digits is how many decimals show three significant digits of x.
func digits(x float64) int {
	switch {
	case x >= 99.95:
		return 0
	case x >= 9.995:
		return 1
	}
	return 2
}

// duration formats a time with three significant digits; minutes and hours like package time.
func duration(d time.Duration) string {
	if d >= time.Minute {
		return d.Round(time.Second).String()
	}
	if d <= 0 {
		return "0 s"
	}
	u := unitOf(d.Seconds())
	x := d.Seconds() / u.seconds
	if u.seconds == 1e-9 {
		return fmt.Sprintf("%.0f ns", x)
	}
	return strconv.FormatFloat(x, 'f', digits(x), 64) + " " + u.name
}

// spread formats a mean and a deviation, in seconds, in the unit of the mean.
func spread(mean, deviation float64) string {
	u := unitOf(mean)
	n := digits(mean / u.seconds)
	return fmt.Sprintf("%.*f %s ± %.*f %s", n, mean/u.seconds, u.name, n, deviation/u.seconds, u.name)
}

// plural formats a number of things, with commas between thousands.
func plural(n int, thing string) string {
	s := strconv.Itoa(n)
	var b strings.Builder
	for i, d := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	b.WriteString(" " + thing)
	if n != 1 {
		b.WriteByte('s')
	}
	return b.String()
}
