package acceptance

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

var trainingOf = flag.String("training", "WIPOLike", "the `collection` of package synthetic that TestBrowserTraining trains on: WIPOLike or DMOZLike")

// training is one that lasts much longer after its first epoch than it takes to interrupt it.
type training struct {
	change    string // to the collection as package synthetic has it
	estimator string
	accuracy  float64       // at least: many times the share of the largest class
	limit     time.Duration // of what takes long
}

var trainings = map[string]training{
	// Twelve times the instances. A look at the bar and a click take a fraction of an epoch, of
	// which there are more than ten to come.
	"WIPOLike": {"collection.Train = 20000\n", `svm.Flat{C: 100, Settings: solver.Settings{Gap: 1e-6, Checkpoint: "training.checkpoint"}}`, 0.3, 2 * time.Minute},
	// Epochs of a minute or so.
	"DMOZLike": {"", `svm.Flat{C: 1, Settings: solver.Settings{Checkpoint: "training.checkpoint"}}`, 0.05, time.Hour},
}

// TestBrowserTraining trains in JupyterLab with a checkpoint, watches the bar, interrupts the
// training and predicts with what it has come to. In another kernel the same cells go on from the
// checkpoint.
//
// A training of DMOZ's size takes a quarter of an hour or more, and 4 GB of memory for its weights
// alone:
//
//	go test -count=1 -v -run TestBrowserTraining -timeout 0 ./install/acceptance -training DMOZLike
func TestBrowserTraining(t *testing.T) {
	of, ok := trainings[*trainingOf]
	if !ok {
		t.Fatalf("-training is %q; it is WIPOLike or DMOZLike", *trainingOf)
	}
	p := openNotebook(t, "training.ipynb", notebookOf(t, of.cells(*trainingOf)...))
	for _, kernel := range []struct{ name, says string }{
		{"first", ""},
		{"second", "The training continues with what training.checkpoint has saved after epoch "},
	} {
		p.runCell(t, 1, of.limit)

		p.click(t, cell(2)+" .cm-content", "")
		p.press(t, "Ctrl+Enter")
		p.waitText(t, output(2), kernel.says, of.limit)
		bar := output(2) + ":has(progress)"
		text := fmt.Sprintf("document.querySelector(%s)?.textContent", quote(bar))
		before := poll[string](t, p, "looking at the bar", fmt.Sprintf(`%s?.includes("gap ") && %[1]s`, text), of.limit)
		p.screenshot(t, "training-"+kernel.name)
		p.wait(t, fmt.Sprintf("(%s ?? %s) !== %[2]s", text, quote(before)), of.limit)
		p.click(t, `.jp-Toolbar-item[data-jp-item-name="interrupt"]`, "")
		p.waitRan(t, 2, of.limit)
		p.screenshot(t, "training-"+kernel.name+"-interrupted")
		told := strings.Join(p.texts(t, output(2)), "\n")
		for _, want := range []string{kernel.says, "The state of the training is in training.checkpoint. Run it again to continue from there.", "interrupted"} {
			if !strings.Contains(told, want) {
				t.Errorf("the cell in the %s kernel says\n%s\nwithout %q", kernel.name, told, want)
			}
		}
		if strings.Contains(told, "after epoch 0;") {
			t.Errorf("after one epoch and more the %s kernel begins at the first:\n%s", kernel.name, told)
		}
		if n := p.count(t, bar); n > 0 {
			t.Error("the bar is there after the training")
		}

		p.runCell(t, 3, of.limit)
		p.screenshot(t, "training-"+kernel.name+"-predicted")
		outputs := p.texts(t, output(3))
		accuracy, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(outputs[0]), "accuracy "), 64)
		if err != nil || accuracy < of.accuracy {
			t.Errorf("the model of the %s kernel says %q, want an accuracy of at least %v", kernel.name, outputs, of.accuracy)
		}
		t.Logf("%s kernel:\n%s\n%s", kernel.name, told, strings.Join(outputs, "\n"))
		if kernel.says == "" {
			p.restart(t)
		}
	}
}

// cells are those of a user who trains on a collection of package synthetic.
func (of training) cells(collection string) []string {
	return []string{
		`import (
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/synthetic"
	"github.com/hierml/notebook/stdlib/nb"
)

collection := synthetic.` + collection + "()\n" + of.change + `texts, err := collection.Generate(nb.Context())
if err != nil {
	panic(err)
}`,
		`estimator := ` + of.estimator + `
model, err := estimator.Fit(nb.Context(), texts.Train)`,
		`right := 0
for i, leaf := range model.Predict(texts.Test.X) {
	if leaf == texts.Test.Labels[i][0] {
		right++
	}
}
fmt.Println("accuracy", float64(right)/float64(texts.Test.Len()))
model`,
	}
}

// runCell runs the n-th cell, which has not run yet, and waits until it has. The test ends if it
// fails.
func (p *page) runCell(t *testing.T, n int, limit time.Duration) {
	t.Helper()
	p.click(t, cell(n)+" .cm-content", "")
	p.press(t, "Ctrl+Enter")
	p.waitRan(t, n, limit)
	if failed := p.texts(t, output(n)+`[data-mime-type="application/vnd.jupyter.error"]`); len(failed) > 0 {
		t.Fatalf("cell %d fails: %q", n, failed)
	}
}

// waitRan waits until the n-th cell has run, for the first time in this kernel.
func (p *page) waitRan(t *testing.T, n int, limit time.Duration) {
	t.Helper()
	p.wait(t, fmt.Sprintf(`/\[\d+\]/.test(document.querySelector(%s).textContent) && %s`, quote(cell(n)+" .jp-InputPrompt"), idle), limit)
}

// restart clears all outputs and restarts the kernel.
func (p *page) restart(t *testing.T) {
	t.Helper()
	eval[bool](t, p, `window.jupyterapp.commands.execute("editmenu:clear-all").then(() => true)`, patience)
	p.click(t, `.jp-Toolbar-item[data-jp-item-name="restart"]`, "")
	p.click(t, ".jp-Dialog .jp-mod-accept", "Restart")
	p.waitGone(t, ".jp-Dialog")
	p.wait(t, idle, time.Minute)
}
