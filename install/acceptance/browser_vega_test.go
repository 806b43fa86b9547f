package acceptance

import (
	"fmt"
	"testing"
	"time"
)

// TestBrowserVega looks at interactive pictures: at a taxonomy in Vega, whose nodes say what they
// are and fold by a click, and at a chart in Vega-Lite.
func TestBrowserVega(t *testing.T) {
	p := openNotebook(t, "vega.ipynb", notebookOf(t,
		`taxonomy.FromPaths([]string{"pets/cat", "pets/dog", "farm/cow", "farm/hen", "farm/pig"}, "/")`,
		`chart.LearningCurve([]int{1, 10, 100}, map[string][]float64{"flat": {0.2, 0.5, 0.7}, "normalized": {0.3, 0.6, 0.8}})`))
	if !p.runAll(t, time.Minute) {
		t.Fatal("a cell failed")
	}
	tree, curves := output(1)+" svg.marks", output(2)+" svg.marks"
	p.find(t, tree, "")
	p.find(t, curves, "")
	p.screenshot(t, "vega")
	height := fmt.Sprintf("document.querySelector(%s).getBoundingClientRect().height", quote(tree))
	unfolded := eval[float64](t, p, height, patience)

	node := p.coloured(t, tree, blue)
	p.moveTo(t, node)
	p.waitText(t, "#vg-tooltip-element.visible", "leaves below", patience)
	p.clickAt(t, node)
	// The node now is marked as folded, and the picture is smaller by what was below.
	folded := p.coloured(t, tree, vermilion)
	p.wait(t, fmt.Sprintf("%s < %v", height, unfolded), patience)
	p.screenshot(t, "vega-folded")
	p.clickAt(t, folded)
	p.wait(t, fmt.Sprintf("%s === %v", height, unfolded), patience)

	p.coloured(t, curves, blue)
	p.coloured(t, curves, green)
}

// The first colours of the charts.
const (
	blue      = "#0072b2"
	vermilion = "#d55e00"
	green     = "#009e73"
)

// coloured waits until there is a mark of a colour in a picture, and returns a place a little to
// the right of where the leftmost one begins.
func (p *page) coloured(t *testing.T, selector, color string) point {
	t.Helper()
	return poll[point](t, p, fmt.Sprintf("looking for the colour %s in %s", color, selector), fmt.Sprintf(`(() => {
		const marks = document.querySelectorAll(%[1]s + " :is([fill='%[2]s'], [stroke='%[2]s'])");
		const boxes = [...marks].map(e => e.getBoundingClientRect()).sort((a, b) => a.x - b.x);
		return boxes.length > 0 && {X: boxes[0].x + 2, Y: boxes[0].y + boxes[0].height / 2};
	})()`, quote(selector), color), patience)
}
