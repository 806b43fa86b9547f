package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// A displayed output keeps what is displayed, each with the number of its display.
type displayed struct {
	enginetest.Recorder

	mu    sync.Mutex
	ids   []string
	shown []string
}

func (d *displayed) Display(b *program.Bundle, id string, update bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	number := slices.Index(d.ids, id)
	if number < 0 {
		number = len(d.ids)
		d.ids = append(d.ids, id)
	}
	verb := "show"
	if update {
		verb = "update"
	}
	mime := "text/plain"
	for key := range b.Data {
		if key != "text/plain" {
			mime = key
		}
	}
	d.shown = append(d.shown, fmt.Sprintf("%s %d %s %v", verb, number, mime, b.Data[mime]))
}

// TestUpdateOfDisplays replaces displays by what package nb makes, which is not shown for itself.
func TestUpdateOfDisplays(t *testing.T) {
	for _, c := range []struct{ name, cell, want string }{
		{"HTML", `h := nb.HTML("<b>a</b>"); h.Update(nb.HTML("<b>b</b>"))`, "show 0 text/html <b>a</b>|update 0 text/html <b>b</b>"},
		{"another type", `h := nb.HTML("a"); h.Update(nb.Markdown("*b*")); h.Update(nb.SVG("<svg/>")); h.Update(nb.LaTeX("$x$"))`,
			"show 0 text/html a|update 0 text/markdown *b*|update 0 image/svg+xml <svg/>|update 0 text/latex $x$"},
		{"chart", "h := nb.Text(\"a\"); h.Update(nb.VegaLite(`{\"mark\": \"bar\"}`)); h.Update((nb.MIME(\"text/x-test\", \"b\")))",
			`show 0 text/plain a|update 0 application/vnd.vegalite.v5+json map[mark:bar]|update 0 text/x-test b`},
		{"picture", `h := nb.Display(1); h.Update(nb.PNG([]byte("p")))`, "show 0 text/plain 1|update 0 image/png [112]"},
		{"several", `h := nb.Display(1); h.Update(nb.HTML("<b>a</b>"), 2)`, "show 0 text/plain 1|update 0 text/html <b>a</b>\n<pre>2</pre>"},
		{"value", `h := nb.Display(1); h.Update(2)`, "show 0 text/plain 1|update 0 text/plain 2"},
		{"in a loop of a function", "func draw(h *nb.Handle) { for i := range 2 { h.Update(nb.HTML(fmt.Sprint(\"<b>\", i))) } }\nh := nb.HTML(\"\"); draw(h)",
			"show 0 text/html |update 0 text/html <b>0|update 0 text/html <b>1"},
		{"deferred", "func late(h *nb.Handle) { defer h.Update(nb.HTML(\"b\")); h.Update(nb.HTML(\"a\")) }\nh := nb.HTML(\"\"); late(h)",
			"show 0 text/html |update 0 text/html a|update 0 text/html b"},
		{"made by a function", "func bar(n int) *nb.Handle { return nb.Content.HTML(strings.Repeat(\"#\", n)) }\nh := nb.Display(bar(1)); h.Update(bar(2))",
			"show 0 text/html #|update 0 text/html ##"},
		{"shown by a function", "func bar(n int) *nb.Handle { return nb.HTML(strings.Repeat(\"#\", n)) }\nh := nb.HTML(\"\"); h.Update(bar(2))",
			"show 0 text/html |show 1 text/html ##|update 1 text/plain <nil>|update 0 text/html ##"},
		{"displayed again", `h := nb.HTML("a"); nb.Display(h); h.Update(nb.HTML("b"))`, "show 0 text/html a|update 0 text/plain <nil>|show 1 text/html a|update 1 text/html b"},
		{"nothing", `h := nb.HTML("a"); h.Update(nil)`, "show 0 text/html a|update 0 text/plain <nil>"},
		{"displayed", `nb.Display(nb.HTML("a"))`, "show 0 text/html a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inModes(t, []program.Mode{program.CompiledMode, program.InterpretedMode}, func(t *testing.T, mode program.Mode) {
				n := newWorkerNotebook(t, mode)
				out := &displayed{}
				bundle, err := n.engine.Run(t.Context(), program.Cell{Number: 1, Source: c.cell}, out)
				if err != nil {
					t.Fatal(err)
				}
				if bundle != nil && bundle.Text() != "" {
					t.Errorf("the value %v is shown", bundle.Data)
				}
				if got := strings.Join(out.shown, "|"); got != c.want {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
			})
		})
	}
}
