package repl

import "strings"

// enter is the command of the Enter key: it runs an input that is whole, or not Go at all, and
// begins another line otherwise.
func (e *editor) enter() {
	if e.asks || e.shell.Keymap.Local() != "" {
		e.command("accept-line")()
		return
	}
	line := []rune(*e.shell.Line())
	at := e.shell.Cursor().Pos()
	if e.whole(string(line), string(line[at:])) {
		// The output is to follow the input, not the blank lines below it.
		trimmed := []rune(strings.TrimRight(string(line), " \t\n"))
		e.shell.Line().Set(trimmed...)
		e.shell.Cursor().Set(len(trimmed))
		e.command("accept-line")()
		return
	}
	e.shell.History.Save()
	e.shell.Cursor().InsertAt([]rune("\n" + e.indentation(string(line[:at])))...)
}

// whole reports whether an input is to be run when Enter is pressed before rest. Two blank lines at
// its end say that the user wants so whatever is missing.
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

// indentation is what the line after a text begins with.
func (e *editor) indentation(before string) string {
	if status, indent := e.engine.IsComplete(before); status == "incomplete" {
		return indent
	}
	last := before[strings.LastIndexByte(before, '\n')+1:]
	return last[:len(last)-len(strings.TrimLeft(last, " \t"))]
}

// closing is the command of the keys of closing brackets, which take a tab of the indentation back
// when they begin a line.
func (e *editor) closing() {
	line, cursor := e.shell.Line(), e.shell.Cursor()
	if at := cursor.Pos(); at > 0 && (*line)[at-1] == '\t' && e.beginsLine() {
		line.Cut(at-1, at)
		cursor.Set(at - 1)
	}
	e.command("self-insert")()
}

// end is the command of Ctrl-D, which ends the input, or deletes what is under the cursor.
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

// highlight is what the screen shows of a line.
func (e *editor) highlight(line []rune) string {
	switch {
	case e.password:
		return strings.Repeat("*", len(line))
	case e.asks:
		return string(line)
	}
	return e.look.highlight(string(line))
}

// inspect is the command that shows what is known of the name at the cursor, above the line.
func (e *editor) inspect() {
	if e.asks {
		return
	}
	bundle := e.engine.Inspect(string(*e.shell.Line()), e.shell.Cursor().Pos(), 0)
	if bundle == nil {
		e.shell.Hint.SetTemporary("nothing is known of this")
		return
	}
	e.show(e.screen.text(bundle, true))
}

// show prints a text above the line that is edited. An error of the terminal is met by the next
// read.
func (e *editor) show(text string) {
	_, _ = e.shell.PrintTransientf("%s", strings.TrimSuffix(text, "\n"))
}

// between is called by the library between keys. It sees to it that the editor is called when it
// has something to do.
func (e *editor) between([]rune, int) []rune {
	if e.proposed != "" || e.screen.waits() || e.ends() {
		e.shell.Keys.Feed(true, attendKey)
	}
	return nil
}

// attend does what there is to do between keys.
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

// ends reports whether the line is not wanted any more.
func (e *editor) ends() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.cancelled
}
