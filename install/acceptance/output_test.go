package acceptance

import (
	"testing"
	"time"
)

// TestBrowserOutput runs a cell that prints 5 MB. The page must show them, or say that it does not,
// and go on answering.
func TestBrowserOutput(t *testing.T) {
	const notebook = `{"cells": [{"cell_type": "code", "id": "much", "metadata": {}, "execution_count": null, "outputs": [],
		"source": "for i := range 100_000 {\n\tfmt.Printf(\"line %5d %s\\n\", i, strings.Repeat(\"x\", 39))\n}"},
		{"cell_type": "code", "id": "after", "metadata": {}, "execution_count": null, "outputs": [], "source": "6 * 7"}],
		"metadata": {"kernelspec": {"name": "hierml", "display_name": "Go (hierml)", "language": "go"}}, "nbformat": 4, "nbformat_minor": 5}`
	p := openNotebook(t, "much.ipynb", []byte(notebook))

	begun := time.Now()
	if !p.runAll(t, 2*time.Minute) {
		t.Error("JupyterLab reports that a cell failed")
	}
	// Jupyter's server lets through so much in a second and leaves out the rest, which it says.
	const texts = `[...document.querySelectorAll(".jp-OutputArea-output")].map(e => e.textContent)`
	p.wait(t, texts+`.some(s => s.includes("line 99999") || s.includes("IOPub data rate exceeded"))`, time.Minute)
	lines := eval[int](t, p, texts+`[0].split("\n").filter(s => /^line +\d+ x{39}$/.test(s)).length`, 10*time.Second)
	t.Logf("%d lines are on the page after %.1f s", lines, time.Since(begun).Seconds())
	if lines < 10_000 {
		t.Errorf("%d whole lines are on the page, want at least 10000 of the 100000", lines)
	}

	begun = time.Now()
	p.wait(t, texts+`.some(s => s.trim() === "42")`, 10*time.Second)
	eval[bool](t, p, `new Promise(done => requestAnimationFrame(() => setTimeout(() => done(true), 0)))`, 10*time.Second)
	t.Logf("the page then answers within %.2f s", time.Since(begun).Seconds())
}
