package acceptance

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// TestBrowserInterrupt ends a cell that would run for ever, with the stop button and with the key I
// pressed twice. What it had counted so far is still there.
func TestBrowserInterrupt(t *testing.T) {
	p := openNotebook(t, "interrupt.ipynb", notebookOf(t, "count, kept := 0, 41", "for {\n\tif count++; count == 1 {\n\t\tfmt.Println(\"counting\")\n\t}\n}", `fmt.Println(kept+1, count > 0)`))
	for _, way := range []struct {
		name string
		stop func()
	}{
		{"the stop button", func() { p.click(t, `.jp-Toolbar-item[data-jp-item-name="interrupt"]`, "") }},
		{"the key I", func() { p.press(t, "i", "i") }},
	} {
		p.click(t, cell(1)+" .cm-content", "")
		p.press(t, "Shift+Enter", "Shift+Enter")
		p.waitText(t, cell(2)+" .jp-InputPrompt", "[*]", patience)
		p.wait(t, busy, patience)
		p.waitText(t, output(2), "counting", patience)
		p.press(t, "Escape") // from editing to commands, where letters are keys
		p.wait(t, `document.querySelector(".jp-Notebook.jp-mod-commandMode") !== null`, patience)
		begun := time.Now()
		way.stop()
		p.waitText(t, output(2), "interrupted", patience)
		p.wait(t, idle, patience)
		t.Logf("%s ended the cell after %.2f s", way.name, time.Since(begun).Seconds())
		p.click(t, cell(3)+" .cm-content", "")
		p.press(t, "Ctrl+Enter")
		p.waitText(t, output(3), "42 true", patience)
		if way.name == "the stop button" {
			p.screenshot(t, "interrupted")
		}
		eval[bool](t, p, `window.jupyterapp.commands.execute("editmenu:clear-all").then(() => true)`, patience)
		p.wait(t, `document.querySelector(".jp-OutputArea-output") === null`, patience)
	}
}

// TestBrowserRestart restarts the kernel and runs all cells, from the toolbar and from the menu,
// and answers the question whether to.
func TestBrowserRestart(t *testing.T) {
	p := openNotebook(t, "restart.ipynb", notebookOf(t, "times := 0", "times++\ntimes"))
	again := func(times string) {
		t.Helper()
		p.click(t, cell(2)+" .cm-content", "")
		p.press(t, "Ctrl+Enter")
		p.waitText(t, output(2), times, patience)
	}
	fresh := func(picture string) {
		t.Helper()
		p.find(t, ".jp-Dialog", "Restart")
		p.screenshot(t, picture)
		p.click(t, ".jp-Dialog .jp-mod-accept", "Restart")
		p.waitGone(t, ".jp-Dialog")
		p.waitText(t, output(2), "1", time.Minute)
		p.wait(t, idle, patience)
		if prompts := p.texts(t, ".jp-CodeCell .jp-InputPrompt"); strings.Join(prompts, "") != "[1]:[2]:" {
			t.Errorf("after the restart the prompts are %q", prompts)
		}
	}
	p.runAll(t, time.Minute)
	again("2")
	p.click(t, `.jp-Toolbar-item[data-jp-item-name="restart-and-run"]`, "")
	fresh("restart-toolbar")
	again("2")
	again("3")
	p.click(t, ".lm-MenuBar-item", "Kernel")
	p.screenshot(t, "restart-menu")
	p.click(t, ".lm-Menu-item", "Restart Kernel and Run All Cells")
	fresh("restart-dialog")
}

// notebookOf returns a notebook of code cells, as a file.
func notebookOf(t *testing.T, cells ...string) []byte {
	t.Helper()
	type metadata map[string]any
	var list []map[string]any
	for i, source := range cells {
		list = append(list, map[string]any{
			"cell_type": "code", "id": "cell-" + string(rune('a'+i)), "metadata": metadata{},
			"execution_count": nil, "outputs": []any{}, "source": source,
		})
	}
	content, err := json.Marshal(map[string]any{
		"cells": list, "nbformat": 4, "nbformat_minor": 5,
		"metadata": metadata{"kernelspec": metadata{"name": "hierml", "display_name": "Go (hierml)", "language": "go"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return content
}
