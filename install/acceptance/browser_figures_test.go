package acceptance

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// figureCells draw one figure each, but for the first.
var figureCells = []string{
	`import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/chart"
	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/taxonomy"
)

t, err := taxonomy.FromPaths([]string{"sport/hockey", "sport/baseball", "science/space", "science/medicine"}, "/")
if err != nil {
	panic(err)
}
leaves := t.Leaves()`,
	`chart.NodeValues(t, []float64{1, 2, 3, 4, 5, 6}, "norm")`,
	`chart.Convergence([]solver.Progress{{Epoch: 1, Primal: 3, Dual: 1, Gap: 0.6}, {Epoch: 2, Primal: 2, Dual: 1.5, Gap: 0.25}})`,
	`chart.LearningCurve([]int{1, 2}, map[string][]float64{"flat": {0.5, 0.6}})`,
	`points, err := dataset.FromDense("points", t, mat.NewDense(4, 2, []float64{0, 0, 0, 1, 1, 0, 1, 1}), [][]int{leaves[0:1], leaves[1:2], leaves[2:3], leaves[3:4]})
if err != nil {
	panic(err)
}
chart.DecisionRegions(context.Background(), chart.PredictFunc(func(x *dataset.Matrix) []int {
	predicted := make([]int, x.Rows)
	for i := range predicted {
		predicted[i] = leaves[1]
	}
	return predicted
}), points)`,
	`links, err := clustering.Agglomerative{}.Link(context.Background(), mat.NewSymDense(3, []float64{0, 1, 4, 1, 0, 5, 4, 5, 0}), []string{"a", "b", "c"})
if err != nil {
	panic(err)
}
chart.Dendrogram(links)`,
}

// TestBrowserFigures draws figures in JupyterLab, which shows the interactive ones: they tell what
// is below the pointer, a taxonomy folds by a click, and one cuts a dendrogram. The browser's
// console shows no errors meanwhile.
func TestBrowserFigures(t *testing.T) {
	p := openNotebook(t, "figures.ipynb", notebookOf(t, figureCells...))
	if !p.runAll(t, 5*time.Minute) {
		t.Error("JupyterLab reports that a cell failed")
	}
	p.wait(t, fmt.Sprintf("document.querySelectorAll(%q).length === %d", figureMarks, len(figureCells)-1), time.Minute)
	p.grow(t)
	p.screenshot(t, "figures")
	for i, words := range []string{"norm", "primal", "flat", "predicted"} {
		if _, found := p.tells(t, i, words); !found {
			t.Errorf("the figure of %s tells no %q", figureCells[i+1], words)
		}
	}

	before := p.figure(t, 0)
	node, found := p.tells(t, 0, "sport")
	if !found {
		t.Fatal("the taxonomy tells of no inner node")
	}
	p.clickAt(t, node)
	p.wait(t, fmt.Sprintf("document.querySelectorAll(%q)[0].getBoundingClientRect().height < %v", figureMarks, before.Height-10), patience)
	p.screenshot(t, "figures-folded")

	last := len(figureCells) - 2
	drawing := fmt.Sprintf("document.querySelectorAll(%q)[%d].outerHTML", figureMarks, last)
	given := eval[string](t, p, drawing, patience)
	dendrogram := p.figure(t, last)
	links := point{dendrogram.X + 0.6*dendrogram.Width, dendrogram.Y + 0.5*dendrogram.Height}
	p.clickAt(t, links)
	p.wait(t, fmt.Sprintf("%s !== %s", drawing, quote(given)), patience)
	p.screenshot(t, "figures-cut")
	run(t, p, "clicking twice", patience, chromedp.MouseClickXY(links.X, links.Y, chromedp.ClickCount(2)))
	p.wait(t, fmt.Sprintf("%s === %s", drawing, quote(given)), patience)
}

// figureMarks finds what Vega draws on.
const figureMarks = ".jp-OutputArea-output .vega-embed svg.marks"

// box is where an element is in the window.
type box struct{ X, Y, Width, Height float64 }

// figure returns the place of an interactive figure.
func (p *page) figure(t *testing.T, i int) box {
	t.Helper()
	return eval[box](t, p, fmt.Sprintf(`(r => ({X: r.x, Y: r.y, Width: r.width, Height: r.height}))(document.querySelectorAll(%q)[%d].getBoundingClientRect())`, figureMarks, i), patience)
}

// tells moves the mouse over an interactive figure until the words are in what it tells, and
// returns that place.
func (p *page) tells(t *testing.T, i int, words string) (at point, found bool) {
	t.Helper()
	where := p.figure(t, i)
	for _, x := range []float64{25, where.Width / 2} {
		for y := 10.0; y < where.Height; y += max(8, where.Height/40) {
			at = point{where.X + x, where.Y + y}
			p.moveTo(t, at)
			// Vega tells what is below the pointer before the browser has drawn twice.
			const told = `new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame)).then(() =>
				document.querySelector("#vg-tooltip-element.visible")?.textContent ?? "")`
			if strings.Contains(eval[string](t, p, told, patience), words) {
				return at, true
			}
		}
	}
	return at, false
}
