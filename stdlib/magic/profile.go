package magic

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"html"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/pprof/profile"

	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// profiling is the current profile; there is at most one in a process.
var profiling struct {
	sync.Mutex
	begun time.Time
	text  *bytes.Buffer
}

// StartProfile starts recording which functions the processors execute in this process: %prof.
// StopProfile ends it, and so does the end of a failed cell, or the next StartProfile.
func StartProfile() {
	profiling.Lock()
	defer profiling.Unlock()
	if profiling.text != nil {
		pprof.StopCPUProfile()
	}
	profiling.text = &bytes.Buffer{}
	if err := pprof.StartCPUProfile(profiling.text); err != nil {
		profiling.text = nil
		fail(err)
	}
	profiling.begun = time.Now()
	started := profiling.text
	context.AfterFunc(host.Current().Context(), func() {
		profiling.Lock()
		defer profiling.Unlock()
		if profiling.text == started {
			pprof.StopCPUProfile()
			profiling.text = nil
		}
	})
}

// StopProfile ends the profile and shows it: the functions that took most time, and the calls.
func StopProfile() {
	profiling.Lock()
	text, begun := profiling.text, profiling.begun
	if text != nil {
		pprof.StopCPUProfile()
		profiling.text = nil
	}
	profiling.Unlock()
	if text == nil {
		panic("magic.StopProfile without magic.StartProfile")
	}
	wall := time.Since(begun)
	samples, err := readProfile(text.Bytes())
	fail(err)
	host.Current().Display(profileBundle(samples, wall), "", false)
}

// A stackSample is the processor time spent in a stack of calls, outermost first.
type stackSample struct {
	calls []string
	time  time.Duration
}

// maxFunctions is how many functions of a profile are listed.
const maxFunctions = 20

// profileBundle returns the table and the picture of a profile.
func profileBundle(samples []stackSample, wall time.Duration) *display.Bundle {
	var total time.Duration
	own, with := map[string]time.Duration{}, map[string]time.Duration{}
	for _, s := range samples {
		total += s.time
		seen := map[string]bool{}
		for i, name := range s.calls {
			if !seen[name] {
				seen[name] = true
				with[name] += s.time
			}
			if i == len(s.calls)-1 {
				own[name] += s.time
			}
		}
	}
	names := make([]string, 0, len(with))
	for name := range with {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(own[b], own[a]), cmp.Compare(with[b], with[a]), strings.Compare(a, b))
	})
	names = names[:min(len(names), maxFunctions)]
	head := fmt.Sprintf("%s of processor time, %s elapsed", duration(total), duration(wall))
	if total == 0 {
		return &display.Bundle{Data: map[string]any{display.Text: head + ": too short for a profile, which takes a hundred samples a second\n"}}
	}
	var plain, page strings.Builder
	fmt.Fprintf(&plain, "%s\n%8s %6s %8s %6s  function\n", head, "itself", "", "with calls", "")
	fmt.Fprintf(&page, "<p>%s</p><table><thead><tr><th>itself</th><th></th><th>with calls</th><th></th><th style=\"text-align:left\">function</th></tr></thead><tbody>", html.EscapeString(head))
	for _, name := range names {
		a, b := own[name], with[name]
		fmt.Fprintf(&plain, "%8s %5.1f%% %10s %5.1f%%  %s\n", duration(a), percent(a, total), duration(b), percent(b, total), name)
		fmt.Fprintf(&page, "<tr><td>%s</td><td>%.1f %%</td><td>%s</td><td>%.1f %%</td><td style=\"text-align:left\"><code>%s</code></td></tr>",
			duration(a), percent(a, total), duration(b), percent(b, total), html.EscapeString(name))
	}
	page.WriteString("</tbody></table>" + flames(samples, total))
	return &display.Bundle{Data: map[string]any{display.Text: plain.String(), display.HTML: page.String()}}
}

func percent(part, total time.Duration) float64 { return 100 * float64(part) / float64(total) }

// A flame is a call in the picture, as wide as its time.
type flame struct {
	name  string
	time  time.Duration
	calls []*flame
}

// flames draws the calls, each on top of its caller.
func flames(samples []stackSample, total time.Duration) string {
	root := &flame{}
	for _, s := range samples {
		at := root
		for _, name := range s.calls {
			i := slices.IndexFunc(at.calls, func(f *flame) bool { return f.name == name })
			if i < 0 {
				i = len(at.calls)
				at.calls = append(at.calls, &flame{name: name})
			}
			at = at.calls[i]
			at.time += s.time
		}
	}
	const width, row, narrowest, deepest = 960.0, 18, 2.0, 60
	var boxes strings.Builder
	depth := 0
	var draw func(f *flame, x float64, level int)
	draw = func(f *flame, x float64, level int) {
		slices.SortFunc(f.calls, func(a, b *flame) int { return strings.Compare(a.name, b.name) })
		for _, c := range f.calls {
			w := width * float64(c.time) / float64(total)
			if w >= narrowest && level < deepest {
				depth = max(depth, level+1)
				name := html.EscapeString(c.name)
				fmt.Fprintf(&boxes, `<g><title>%s: %s, %.1f %%</title><rect x="%.1f" y="%d" width="%.1f" height="%d" fill="hsl(%d,70%%,72%%)" stroke="#fff"/>`,
					name, duration(c.time), percent(c.time, total), x, level*row, w, row, 20+hue(c.name)%40)
				if room := int(w / 6.5); room >= 4 {
					runes := []rune(c.name[strings.LastIndexByte(c.name, '/')+1:])
					if len(runes) > room {
						runes = append(runes[:room-1], '…')
					}
					fmt.Fprintf(&boxes, `<text x="%.1f" y="%d" font-size="11" font-family="monospace" fill="#000">%s</text>`, x+2, level*row+13, html.EscapeString(string(runes)))
				}
				boxes.WriteString("</g>")
				draw(c, x, level+1)
			}
			x += w
		}
	}
	draw(root, 0, 0)
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="the calls of the profile; the width is the time that they took" viewBox="0 0 %g %d" style="max-width:100%%">%s</svg>`,
		width, depth*row, boxes.String())
}

// hue derives a hue from a name.
func hue(name string) int {
	n := 0
	for _, c := range name {
		n = (n*31 + int(c)) & 0xffff
	}
	return n
}

// readProfile reads a profile in the format of runtime/pprof.
func readProfile(data []byte) ([]stackSample, error) {
	p, err := profile.ParseData(data)
	if err != nil {
		return nil, err
	}
	samples := make([]stackSample, 0, len(p.Sample))
	for _, sample := range p.Sample {
		s := stackSample{time: time.Duration(sample.Value[1])} // the first is a count
		for _, l := range slices.Backward(sample.Location) {
			for _, line := range slices.Backward(l.Line) { // outermost last: calls within a function's code
				s.calls = append(s.calls, line.Function.Name)
			}
		}
		samples = append(samples, s)
	}
	return samples, nil
}
