package acceptance

import (
	"fmt"
	"testing"
	"time"
)

// TestBrowserDebugger debugs a cell in both ways to run it: a breakpoint by a click, variables,
// steps in, over and out, and on to the end.
func TestBrowserDebugger(t *testing.T) {
	const program = "func double(n int) int {\n\tm := 2 * n\n\treturn m\n}\nsum := 0\nfor i := range 3 {\n\tsum += double(i)\n\tsum++\n}\nfmt.Println(\"sum\", sum)"
	for _, engine := range []string{"compiled", "interpreted"} {
		t.Run(engine, func(t *testing.T) {
			p := openNotebook(t, "debugger.ipynb", notebookOf(t, "%engine "+engine, program))
			p.click(t, cell(1)+" .cm-content", "")
			p.press(t, "Ctrl+Enter")
			p.wait(t, idle, time.Minute)

			p.click(t, ".jp-DebuggerBugButton", "")
			p.wait(t, `document.querySelector(".jp-DebuggerBugButton[aria-pressed=true]") !== null`, patience)
			// The panel names the notebook when its cells can have breakpoints.
			p.wait(t, `document.querySelector(".jp-DebuggerSidebar")?.textContent.includes("debugger.ipynb") === true`, patience)
			// The first element of the gutter is a measure.
			p.click(t, cell(2)+" .cm-breakpoint-gutter .cm-gutterElement:nth-child(8)", "")
			p.waitText(t, ".jp-DebuggerBreakpoints-body", "7", patience)
			p.screenshot(t, "debugger-breakpoint-"+engine)

			p.click(t, cell(2)+" .cm-content", "")
			p.press(t, "Ctrl+Enter")
			callstack := func(text string) {
				t.Helper()
				p.waitText(t, ".jp-DebuggerCallstack-body", text, patience)
			}
			// A name and its value; the colon between is of the style.
			variables := func(text string) {
				t.Helper()
				p.waitText(t, ".jp-DebuggerVariables-body", text, patience)
			}
			command := func(name string) {
				t.Helper()
				p.click(t, fmt.Sprintf(`.jp-DebuggerSidebar [data-command="debugger:%s"]`, name), "")
			}
			callstack("Cell [2]")
			variables("i0")
			p.waitText(t, cell(2)+" .jp-DebuggerEditor-highlight", "sum += double(i)", patience)
			p.screenshot(t, "debugger-stopped-"+engine)

			command("stepIn")
			callstack("double")
			variables("n0")
			p.waitText(t, cell(2)+" .jp-DebuggerEditor-highlight", "m := 2 * n", patience)
			command("next")
			variables("m0")
			p.screenshot(t, "debugger-step-"+engine)
			command("stepOut")
			p.waitText(t, cell(2)+" .jp-DebuggerEditor-highlight", "sum++", patience)
			command("continue")
			variables("i1")
			p.click(t, cell(2)+" .cm-breakpoint-gutter .cm-gutterElement:nth-child(8)", "")
			p.waitGone(t, ".jp-DebuggerBreakpoints-body .jp-DebuggerBreakpoint")
			command("continue")
			p.waitText(t, output(2), "sum 9", patience)
			p.screenshot(t, "debugger-end-"+engine)
		})
	}
}
