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
	tree, curves := output(1)+" canvas", output(2)+" canvas"
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
	p.coloured(t, curves, vermilion)
}

// The first colours of the charts.
var (
	blue      = [3]int{0x00, 0x72, 0xb2}
	vermilion = [3]int{0xd5, 0x5e, 0x00}
)

// coloured waits until there is a colour in a canvas, and returns a place a little to the right of
// where it is leftmost.
func (p *page) coloured(t *testing.T, selector string, color [3]int) point {
	t.Helper()
	return poll[point](t, p, fmt.Sprintf("looking for the colour %x in %s", color, selector), fmt.Sprintf(`(() => {
		const canvas = document.querySelector(%s);
		if (!canvas || !canvas.width) return false;
		const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data, at = canvas.getBoundingClientRect();
		for (let x = 0; x < canvas.width; x++) {
			for (let y = 0; y < canvas.height; y++) {
				const i = 4 * (y * canvas.width + x);
				if (pixels[i] === %d && pixels[i + 1] === %d && pixels[i + 2] === %d && pixels[i + 3] === 255) {
					return {X: at.x + 2 + x * at.width / canvas.width, Y: at.y + y * at.height / canvas.height};
				}
			}
		}
		return false;
	})()`, quote(selector), color[0], color[1], color[2]), patience)
}
