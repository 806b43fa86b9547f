package acceptance

import (
	"strings"
	"testing"
	"time"
)

// TestBrowserCompletion completes names with Tab, sees their types, takes one, and reads its
// documentation with Shift-Tab.
func TestBrowserCompletion(t *testing.T) {
	p := newNotebook(t)
	p.write(t, "type creature struct{ Legs int }\ncreatures := []creature{{4}}\nfunc create() creature { return creature{} }")
	p.press(t, "Shift+Enter")
	p.wait(t, idle+` && document.querySelectorAll(".jp-Notebook .jp-Cell").length === 2`, time.Minute)

	// Names of the session, each with its kind.
	p.write(t, "creat")
	p.complete(t)
	for name, kind := range map[string]string{"creature": "struct", "creatures": "variable", "create": "function"} {
		p.waitText(t, ".jp-Completer-item:has(.jp-Completer-type)", name+kind, patience)
	}
	p.screenshot(t, "completion")
	p.press(t, "Escape")
	p.waitGone(t, ".jp-Completer:not(.lm-mod-hidden)")

	// A name of a package, taken with the mouse.
	p.press(t, "Ctrl+a")
	p.write(t, "files.Read")
	p.complete(t)
	p.waitText(t, ".jp-Completer-item", "ReadSVMLightfunction", patience)
	p.screenshot(t, "completion-package")
	p.click(t, ".jp-Completer-item", "ReadSVMLight")
	p.waitText(t, cell(2)+" .cm-content", "files.ReadSVMLight", patience)
	p.waitGone(t, ".jp-Completer:not(.lm-mod-hidden)")

	// Its signature and documentation.
	p.write(t, "(")
	p.press(t, "Shift+Tab")
	p.waitText(t, ".jp-Tooltip", "func files.ReadSVMLight(", patience)
	documentation := strings.Join(p.texts(t, ".jp-Tooltip"), "\n")
	for _, part := range []string{"(*dataset.Dataset, error)", "ReadSVMLight reads"} {
		if !strings.Contains(documentation, part) {
			t.Errorf("the tooltip lacks %q:\n%s", part, documentation)
		}
	}
	p.screenshot(t, "documentation")

	// Typing goes on without it. Fields of a value; Enter takes the first.
	p.click(t, cell(2)+" .cm-content", "")
	p.waitGone(t, ".jp-Tooltip")
	p.press(t, "Ctrl+a")
	p.write(t, "creatures[0].L")
	p.complete(t)
	p.find(t, ".jp-Completer-item", "Legsfield")
	p.press(t, "Enter")
	p.waitText(t, cell(2)+" .cm-content", "creatures[0].Legs", patience)
	p.press(t, "Shift+Enter")
	p.waitText(t, output(2), "4", patience)
}
