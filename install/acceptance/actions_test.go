package acceptance

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience is how long an action waits for the page to be ready for it.
const patience = 20 * time.Second

// point is a place in the window, in pixels from its upper left corner.
type point struct{ X, Y float64 }

// locate is a JavaScript function that returns the middle of the first visible element of a CSS
// selector whose text contains the given one, once it rests and nothing covers it, and else false.
const locate = `(async (selector, text) => {
	const shown = e => { const r = e.getBoundingClientRect(); return r.width > 0 && r.height > 0; };
	const found = [...document.querySelectorAll(selector)].find(e => shown(e) && e.textContent.includes(text));
	if (!found) return false;
	found.scrollIntoView({block: "nearest", inline: "nearest", behavior: "instant"});
	const before = found.getBoundingClientRect();
	await new Promise(done => setTimeout(done, 50));
	const after = found.getBoundingClientRect();
	if (before.x !== after.x || before.y !== after.y || before.width !== after.width || before.height !== after.height) return false;
	const x = after.x + after.width / 2, y = after.y + after.height / 2;
	const top = document.elementFromPoint(x, y);
	return top && (found.contains(top) || top.contains(found)) ? {X: x, Y: y} : false;
})`

// find waits for an element that a user could click, and returns its middle. Of the elements of the
// selector it is the first whose text contains text.
func (p *page) find(t *testing.T, selector, text string) point {
	t.Helper()
	return poll[point](t, p, fmt.Sprintf("looking for %s with the text %q", selector, text), fmt.Sprintf("%s(%s, %s)", locate, quote(selector), quote(text)), patience)
}

// click clicks with the mouse on the first element of a CSS selector that a user could click, and
// whose text contains text.
func (p *page) click(t *testing.T, selector, text string) {
	t.Helper()
	p.clickAt(t, p.find(t, selector, text))
}

// clickAt clicks with the mouse on a place.
func (p *page) clickAt(t *testing.T, at point) {
	t.Helper()
	p.moveTo(t, at)
	run(t, p, "clicking", patience, chromedp.MouseClickXY(at.X, at.Y))
}

// moveTo moves the mouse to a place.
func (p *page) moveTo(t *testing.T, at point) {
	t.Helper()
	run(t, p, "moving the mouse", patience, chromedp.MouseEvent(chromedp.MouseMoved, at.X, at.Y))
}

// drag presses the mouse on an element that click would click on, moves it by so many pixels, and
// lets it go.
func (p *page) drag(t *testing.T, selector, text string, right, down float64) {
	t.Helper()
	from := p.find(t, selector, text)
	run(t, p, "dragging "+selector, patience, chromedp.DragAndDropXY(from.X, from.Y, from.X+right, from.Y+down, 10))
}

// write types a text on the keyboard. A line feed is the Enter key. The editor indents on its own,
// so the lines have no indentation.
func (p *page) write(t *testing.T, text string) {
	t.Helper()
	run(t, p, "typing "+text, patience, chromedp.KeyEvent(strings.ReplaceAll(text, "\n", kb.Enter)))
}

// press presses keys one after the other, each with its modifiers in front: "Shift+Enter",
// "Escape", "i".
func (p *page) press(t *testing.T, keys ...string) {
	t.Helper()
	for _, name := range keys {
		parts := strings.Split(name, "+")
		key := parts[len(parts)-1]
		if named, ok := namedKeys[key]; ok {
			key = named
		}
		var with []chromedp.Modifier
		for _, modifier := range parts[:len(parts)-1] {
			m, ok := modifiers[modifier]
			if !ok {
				t.Fatalf("%q is no modifier", modifier)
			}
			with = append(with, m)
		}
		run(t, p, "pressing "+name, patience, chromedp.KeyEvent(key, chromedp.KeyModifiers(with...)))
	}
}

var (
	namedKeys = map[string]string{
		"Enter": kb.Enter, "Tab": kb.Tab, "Escape": kb.Escape, "Backspace": kb.Backspace, "Home": kb.Home, "End": kb.End,
		"Up": kb.ArrowUp, "Down": kb.ArrowDown, "Left": kb.ArrowLeft, "Right": kb.ArrowRight,
	}
	modifiers = map[string]chromedp.Modifier{"Shift": chromedp.ModifierShift, "Ctrl": chromedp.ModifierCtrl, "Alt": chromedp.ModifierAlt}
)

// waitText waits until an element of a CSS selector contains a text.
func (p *page) waitText(t *testing.T, selector, text string, limit time.Duration) {
	t.Helper()
	poll[bool](t, p, fmt.Sprintf("waiting for %s with the text %q", selector, text),
		fmt.Sprintf("[...document.querySelectorAll(%s)].some(e => e.textContent.includes(%s))", quote(selector), quote(text)), limit)
}

// waitGone waits until no element of a CSS selector is there.
func (p *page) waitGone(t *testing.T, selector string) {
	t.Helper()
	p.wait(t, fmt.Sprintf("document.querySelector(%s) === null", quote(selector)), patience)
}

// complete presses Tab until the completer is there: JupyterLab does without an answer that takes
// longer than a second, and shows nothing then, as on a machine with much to do.
func (p *page) complete(t *testing.T) {
	t.Helper()
	const shown = ".jp-Completer:not(.lm-mod-hidden) .jp-Completer-item"
	for range 10 {
		p.press(t, "Tab")
		appeared := fmt.Sprintf(`new Promise(done => {
			const until = Date.now() + 4000, look = () => {
				const there = document.querySelector(%s) !== null;
				if (there || Date.now() > until) done(there); else setTimeout(look, 50);
			};
			look();
		})`, quote(shown))
		if eval[bool](t, p, appeared, patience) {
			return
		}
	}
	t.Fatal("Tab completes nothing")
}

// texts returns the texts of the elements of a CSS selector.
func (p *page) texts(t *testing.T, selector string) []string {
	t.Helper()
	return eval[[]string](t, p, fmt.Sprintf("[...document.querySelectorAll(%s)].map(e => e.textContent)", quote(selector)), patience)
}

// reload loads the page anew, as F5 does, and waits for the notebook and its kernel.
func (p *page) reload(t *testing.T) {
	t.Helper()
	run(t, p, "reloading", time.Minute, chromedp.Reload())
	p.waitNotebook(t)
}

// waitNotebook waits until a notebook is open and its kernel idle.
func (p *page) waitNotebook(t *testing.T) {
	t.Helper()
	p.wait(t, `document.querySelector(".jp-Notebook .jp-CodeCell") !== null`, time.Minute)
	p.waitText(t, ".jp-NotebookPanel-toolbar", "Go (hierml)", time.Minute)
	p.wait(t, idle, time.Minute)
}

// runAll runs all cells of the open notebook and waits until the kernel is idle. It returns whether
// JupyterLab says that none failed.
func (p *page) runAll(t *testing.T, limit time.Duration) bool {
	t.Helper()
	ok := eval[bool](t, p, `window.jupyterapp.commands.execute("notebook:run-all-cells").then(Boolean)`, limit)
	p.wait(t, idle, time.Minute)
	return ok
}

// save saves the open notebook, as Ctrl+S does.
func (p *page) save(t *testing.T) {
	t.Helper()
	eval[bool](t, p, `window.jupyterapp.commands.execute("docmanager:save").then(() => true)`, time.Minute)
}

// idle is true while the kernel computes nothing.
const idle = `document.querySelector(".jp-Notebook-ExecutionIndicator")?.dataset.status === "idle"`

// busy is true while the kernel runs a cell.
const busy = `document.querySelector(".jp-Notebook-ExecutionIndicator")?.dataset.status === "busy"`

// cell returns the CSS selector of the n-th cell of the open notebook, from 1 on.
func cell(n int) string {
	return fmt.Sprintf(".jp-Notebook .jp-Cell[data-windowed-list-index=%q]", fmt.Sprint(n-1))
}

// output returns the CSS selector of the outputs of the n-th cell.
func output(n int) string { return cell(n) + " .jp-OutputArea-output" }

// quote returns a text as JavaScript.
func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string has no error
	}
	return string(quoted)
}
