package acceptance

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// interactive is a cell whose function draws a line as steep as a slider says, and a cell with a
// button. The function fails at the right end.
const interactive = `nb.Interact(func(slope float64, colour string) (any, error) {
	if slope == 2 {
		return nil, errors.New("too steep")
	}
	line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: slope}})
	if err != nil {
		return nil, err
	}
	line.Width = 3
	if colour == "red" {
		line.Color = color.RGBA{R: 200, A: 255}
	}
	p := plot.New()
	p.Title.Text = fmt.Sprintf("slope %.2f", slope)
	p.Y.Max = 2
	p.Add(line)
	fmt.Println("drawn with", slope, colour)
	return p, nil
}, nb.Slider(0, 2, 1), []string{"black", "red"})`

const pressed = `presses := 0
nb.Button("count", func() { presses++; fmt.Println("pressed", presses) })`

// TestBrowserWidgets moves a slider by the mouse and looks at the plot, before and after the page
// is loaded again.
func TestBrowserWidgets(t *testing.T) {
	p := openNotebook(t, "widgets.ipynb", notebookOf(t, interactive, pressed))
	if !p.runAll(t, time.Minute) {
		t.Fatal("a cell failed")
	}
	const handle, area = ".noUi-handle", ".jupyter-widgets .jp-OutputArea-output"
	p.waitText(t, area, "drawn with 1 black", patience)
	p.waitText(t, ".jupyter-widgets .widget-label", "slope", patience)
	p.screenshot(t, "widgets")
	before := p.drawnIn(t, area)

	p.drag(t, handle, "", 60, 0)
	first := p.drawnAnew(t, area, before)
	p.screenshot(t, "widgets-moved")
	p.click(t, ".jupyter-widgets select", "")
	p.press(t, "Down", "Enter")
	red := p.drawnAnew(t, area, first)
	p.waitText(t, area, "red", patience)

	p.drag(t, handle, "", 400, 0)
	p.waitText(t, area, "too steep", patience)
	if text := p.texts(t, area)[0]; strings.Contains(text, "Cell [") {
		t.Errorf("the error names a cell that there is not: %s", text)
	}
	p.screenshot(t, "widgets-failed")
	p.drag(t, handle, "", -100, 0)
	p.waitText(t, area, "drawn with", patience)
	p.drawnAnew(t, area, red)

	p.click(t, ".jupyter-widgets.jupyter-button", "count")
	p.waitText(t, output(2), "pressed 1", patience)

	again := p.drawnLast(t, area)
	p.save(t)
	p.checkSaved(t)
	p.reload(t)
	p.waitText(t, area, "drawn with", time.Minute)
	if got := p.drawnIn(t, area); got != again {
		t.Error("the plot is another after the page was loaded again")
	}
	p.drag(t, handle, "", -60, 0)
	p.drawnAnew(t, area, again)
	p.screenshot(t, "widgets-reloaded")
	if n := p.count(t, area+" svg.marks"); n != 1 {
		t.Errorf("%d plots stand below the controls", n)
	}
}

// drawnIn returns the picture in an area, once there is one.
func (p *page) drawnIn(t *testing.T, area string) string {
	t.Helper()
	return poll[string](t, p, "waiting for the plot", fmt.Sprintf("document.querySelector(%s)?.outerHTML", quote(area+" svg.marks")), patience)
}

// drawnAnew waits until the picture in an area is another, and returns it.
func (p *page) drawnAnew(t *testing.T, area, before string) string {
	t.Helper()
	p.wait(t, idle, patience)
	return poll[string](t, p, "waiting for another plot",
		fmt.Sprintf("(drawing => drawing !== undefined && drawing !== %s && drawing)(document.querySelector(%s)?.outerHTML)", quote(before), quote(area+" svg.marks")), patience)
}

// drawnLast waits until no further picture follows in an area, as those of a slider on its way do,
// and returns the last.
func (p *page) drawnLast(t *testing.T, area string) string {
	t.Helper()
	for last := ""; ; {
		p.wait(t, idle, patience)
		now := p.drawnIn(t, area)
		if now == last {
			return now
		}
		last = now
		run(t, p, "waiting", patience, chromedp.Sleep(time.Second))
	}
}

// checkSaved checks that the notebook holds the first plot as readers without widgets see it.
func (p *page) checkSaved(t *testing.T) {
	t.Helper()
	saved := eval[[]string](t, p, `Object.keys(window.jupyterapp.shell.currentWidget.content.model.cells.get(0).outputs.get(0).data)`, patience)
	for _, mime := range []string{"application/vnd.jupyter.widget-view+json", "image/png", "text/plain"} {
		if !slices.Contains(saved, mime) {
			t.Errorf("the saved output has no %s: %q", mime, saved)
		}
	}
}
