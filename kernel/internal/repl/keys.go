package repl

import "strings"

// enter is the command of the Enter key: it runs an input that is complete, or not Go at all, and
// otherwise begins another line.
func (e *editor) enter() {
	if e.asks || e.shell.Keymap.Local() != "" {
		e.command("accept-line")()
		return
	}
	line := []rune(*e.shell.Line())
	at := e.shell.Cursor().Pos()
	if e.whole(string(line), string(line[at:])) {
		// The output must follow the input, not the blank lines below it.
		trimmed := []rune(strings.TrimRight(string(line), " \t\n"))
		e.shell.Line().Set(trimmed...)
		e.shell.Cursor().Set(len(trimmed))
		e.command("accept-line")()
		return
	}
	e.shell.History.Save()
	e.shell.Cursor().InsertAt([]rune("\n" + e.indentation(string(line[:at])))...)
}

// whole reports whether Enter before rest must run an input. Two blank lines at the end force that
// even if the input is incomplete.
func (e *editor) whole(source, rest string) bool {
	if strings.Contains(rest, "\n") && strings.TrimSpace(rest) != "" {
		return false
	}
	if status, _ := e.engine.IsComplete(source); status != "incomplete" {
		return true
	}
	lines := strings.Split(source, "\n")
	return len(lines) > 2 && strings.TrimSpace(lines[len(lines)-1]) == "" && strings.TrimSpace(lines[len(lines)-2]) == ""
}

// indentation returns the indentation of the line after a text.
func (e *editor) indentation(before string) string {
	if status, indent := e.engine.IsComplete(before); status == "incomplete" {
		return indent
	}
	last := before[strings.LastIndexByte(before, '\n')+1:]
	return last[:len(last)-len(strings.TrimLeft(last, " \t"))]
}

// closing is the command of closing brackets, which remove a tab of the indentation at the
// beginning of a line.
func (e *editor) closing() {
	line, cursor := e.shell.Line(), e.shell.Cursor()
	if at := cursor.Pos(); at > 0 && (*line)[at-1] == '\t' && e.beginsLine() {
		line.Cut(at-1, at)
		cursor.Set(at - 1)
	}
	e.command("self-insert")()
}

// end is the command of Ctrl-D, which ends the input, or deletes the character under the cursor.
func (e *editor) end() {
	if length := e.shell.Line().Len(); length == 0 || e.shell.Cursor().Pos() < length {
		e.command("end-of-file")()
	}
}

// beginsLine reports whether only space is before the cursor on its line.
func (e *editor) beginsLine() bool {
	before := string((*e.shell.Line())[:e.shell.Cursor().Pos()])
	return strings.TrimSpace(before[strings.LastIndexByte(before, '\n')+1:]) == ""
}

// highlight returns a line as shown on the screen.
func (e *editor) highlight(line []rune) string {
	switch {
	case e.password:
		return strings.Repeat("*", len(line))
	case e.asks:
		return string(line)
	}
	return e.look.highlight(string(line))
}

// inspect is the command that shows a description of the name at the cursor, above the line.
func (e *editor) inspect() {
	if e.asks {
		return
	}
	bundle := e.engine.Inspect(string(*e.shell.Line()), e.shell.Cursor().Pos(), 0)
	if bundle == nil {
		e.shell.Hint.SetTemporary("no declaration or documentation found")
		return
	}
	e.show(e.screen.text(bundle, true))
}

// show prints a text above the edited line. The next read reports an error of the terminal.
func (e *editor) show(text string) {
	_, _ = e.shell.PrintTransientf("%s", strings.TrimSuffix(text, "\n"))
}

// between is called by the library between keys. It ensures that the editor is called when there is
// work.
func (e *editor) between([]rune, int) []rune {
	if e.proposed != "" || e.screen.waits() || e.ends() {
		e.shell.Keys.Feed(true, attendKey)
	}
	return nil
}

// attend does the pending work between keys.
func (e *editor) attend() {
	if text := e.screen.drain(); text != "" {
		e.show(text)
	}
	if e.proposed != "" {
		e.shell.Cursor().InsertAt([]rune(e.proposed)...)
		e.proposed = ""
	}
	if e.ends() {
		e.shell.Line().Set()
		e.shell.Cursor().Set(0)
		e.command("end-of-file")()
	}
}

// ends reports whether the line is no longer wanted.
func (e *editor) ends() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.cancelled
}
