package acceptance

import (
	"strconv"
	"testing"
	"time"
)

// dragged is a cell that says how far right its first point is while the user drags it.
const dragged = `d := synthetic.Gaussians{PerClass: 2, Seed: 1}.Generate(nb.Context())
nb.Interact(func(d *dataset.Dataset) string {
	model := svm.Hierarchical{C: 10}.Fit(nb.Context(), d)
	return fmt.Sprintf("at %.3f of %d", d.X.Dense().At(0, 0), len(model.Predict(d.X)))
}, nb.Points(d))`

// TestBrowserPoints drags a point by the mouse. The model is trained with its new place, where it
// also is after the page is loaded again.
func TestBrowserPoints(t *testing.T) {
	p := openNotebook(t, "points.ipynb", notebookOf(t, dragged))
	if !p.runAll(t, time.Minute) {
		t.Fatal("the cell failed")
	}
	const point, area = `.jupyter-widgets circle[data-row="0"]`, ".jupyter-widgets .jp-OutputArea-output"
	place := func() float64 {
		t.Helper()
		x, err := strconv.ParseFloat(eval[string](t, p, "document.querySelector("+quote(point)+").getAttribute('cx')", patience), 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	p.waitText(t, area, "of 18", patience)
	said, from := p.texts(t, area)[0], place()
	p.drag(t, point, "", -30, 20)
	poll[bool](t, p, "waiting for another place", "![...document.querySelectorAll("+quote(area)+")].some(e => e.textContent.includes("+quote(said)+")) && document.querySelector("+quote(area)+") !== null", patience)
	p.waitText(t, area, "of 18", patience)
	p.screenshot(t, "points-dragged")
	if to := place(); to < from-31 || to > from-29 {
		t.Errorf("the point was dragged from %v to %v, and not 30 pixels to the left", from, to)
	}
	moved := place()
	p.save(t)
	p.reload(t)
	p.waitText(t, area, "of 18", time.Minute)
	if got := place(); got != moved {
		t.Errorf("the point is at %v after the page was loaded again, and was at %v", got, moved)
	}
}
