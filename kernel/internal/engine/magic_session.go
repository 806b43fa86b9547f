package engine

import (
	"context"
	"fmt"
	"html"
	"strings"
	"text/tabwriter"

	"github.com/hierml/notebook/kernel/internal/program"
)

// runMagics runs a cell that may have magics of the engine's own, before and
// after the rest of it. None is carried out if the cell does not parse.
func (e *Engine) runMagics(ctx context.Context, cell program.Cell, out program.Output) (*program.Bundle, error) {
	src, own, err := e.translated(cell)
	if err != nil {
		return nil, err
	}
	for _, m := range own.before {
		if err := e.carryOut(ctx, src, m, out); err != nil {
			return nil, err
		}
	}
	bundle, err := e.run(ctx, src, out)
	if err != nil {
		return nil, err
	}
	for _, m := range own.after {
		if err := e.carryOut(ctx, src, m, out); err != nil {
			return nil, err
		}
	}
	return bundle, nil
}

// translated returns the source of a cell with its magics as Go. It is an error
// if the cell does not parse and the engine has magics to carry out before.
func (e *Engine) translated(cell program.Cell) (src *source, t *translated, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer func() {
		// A fault of the engine costs the cell, not the session.
		if r := recover(); r != nil {
			src, t, err = nil, nil, internalError(newSource(cell), r)
		}
	}()
	t, faults := translate(cell.Source, func(name string) bool { return e.session.live[name] != nil })
	src = &source{cell, &t.translation}
	problems := magicProblems(src, faults)
	if len(problems) == 0 && len(t.before) > 0 {
		_, problems = e.checker.parse(src)
	}
	if len(problems) > 0 {
		return nil, nil, problemsError("CompileError", problems)
	}
	return src, t, nil
}

// carryOut does what a magic of the engine's own says.
func (e *Engine) carryOut(ctx context.Context, src *source, m *magicUse, out program.Output) error {
	argument := src.cell.Source[m.argument:m.argumentEnd]
	if m.kind == &questionKind {
		return e.answer(src, m, argument, out)
	}
	switch m.name {
	case "who":
		if argument == "-m" {
			e.whoMemory(out)
			return nil
		}
		return e.who(ctx, src.cell, out)
	case "reset":
		return e.reset(src.cell, out)
	case "engine":
		return e.chooseMode(ctx, src, argument, out)
	case "mod":
		return e.mod(ctx, src, m, argument, out)
	case "strict":
		e.mu.Lock()
		e.checker.strict = argument != "off"
		e.mu.Unlock()
		if argument == "off" {
			out.Stream("stdout", "strict is off: an error that a statement of a cell does not look at stops the cell\n")
		} else {
			out.Stream("stdout", "strict is on: errors are what they are in Go, and stop no cell by themselves\n")
		}
	case "help":
		out.Display(magicHelp(), "", false)
	}
	return nil
}

// answer shows what a question asks for.
func (e *Engine) answer(src *source, m *magicUse, name string, out program.Output) error {
	var found *program.Bundle
	if strings.HasPrefix(name, "%") {
		found = describeMagic(name)
	} else {
		found = e.Inspect(name, len([]rune(name)), m.detail)
	}
	if found == nil {
		msg := "nothing is known of " + name
		if strings.HasPrefix(name, "%") {
			msg = unknownMagic(name)
		}
		return problemsError("CompileError", []problem{{source: src, offset: m.argument, msg: msg}})
	}
	out.Page(found)
	return nil
}

// reset makes the session a new one.
func (e *Engine) reset(cell program.Cell, out program.Output) error {
	// No cell declares anything meanwhile, nor learns of the end of its process.
	e.declaring.Lock()
	defer e.declaring.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	forgotten := len(e.session.live)
	compiled := e.compiled
	restarted, err := e.anew(cell)
	if err != nil {
		return err
	}
	msg := ""
	if restarted {
		msg = "; its variables are gone with the process that had them"
	}
	if compiled && !e.compiled && e.mode != CompiledMode {
		msg += "; cells are interpreted again"
	}
	out.Stream("stdout", fmt.Sprintf("The session is new: %s forgotten%s.\n", count(forgotten, "name is", "names are"), msg))
	return nil
}

// anew forgets all that the session has declared, and starts a new process
// where the executor can do that.
func (e *Engine) anew(cell program.Cell) (restarted bool, err error) {
	fresh := newSession()
	r, restarted := e.executor.(program.Restarter)
	if restarted {
		died, err := r.Restart()
		if err != nil {
			title := cell.Title()
			return false, &program.Error{Name: "error", Message: err.Error(), Traceback: []string{bold + title + ": " + red + err.Error() + plain}, Cause: err}
		}
		e.dead = max(e.dead, died)
		e.compiled = false
	} else {
		// The executor still has what it was sent.
		old := e.session
		fresh.versions, fresh.serial, fresh.aliases, fresh.sent = old.versions, old.serial, old.aliases, old.sent
	}
	e.session = fresh
	c := e.checker
	c.session, c.files, c.pkg = fresh, newFiles(), nil
	e.lowerer = newLowerer(c)
	e.forgetCompiled()
	if modules, ok := e.compiler.(program.Modules); ok && restarted {
		modules.Forget()
	}
	return restarted, nil
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// magicHelp lists the magics.
func magicHelp() *program.Bundle {
	var rows [][]string
	for _, k := range magicKinds {
		rows = append(rows, []string{k.usage, k.doc, k.example})
	}
	for _, k := range []magicKind{shellKind, questionKind} {
		rows = append(rows, []string{k.usage, k.doc, k.example})
	}
	var text strings.Builder
	for i, r := range rows {
		if i > 0 {
			text.WriteByte('\n')
		}
		fmt.Fprintf(&text, "%s\n    %s\n    Example: %s\n", r[0], strings.ReplaceAll(wrapped(r[1], 76), "\n", "\n    "), r[2])
	}
	_, page := table([]string{"magic", "what it does", "example"}, rows, 0, 2)
	return &program.Bundle{Data: map[string]any{"text/plain": text.String(), "text/html": page}}
}

// wrapped breaks a text into lines of at most width bytes, where it has blanks.
func wrapped(text string, width int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

// describeMagic describes the magic of a name with its percent signs, nil if
// there is none.
func describeMagic(name string) *program.Bundle {
	k := magicNamed(strings.TrimLeft(name, "%"))
	if k == nil {
		return nil
	}
	return &program.Bundle{Data: map[string]any{
		"text/plain":    k.usage + "\n\n" + k.sign() + " " + k.doc + "\n\nExample: " + k.example + "\n",
		"text/markdown": fenced(k.usage) + "\n\n`" + k.sign() + "` " + k.doc + "\n\nExample:\n\n" + fenced(k.example) + "\n",
	}}
}

// table writes rows as text and as HTML. The columns with these numbers are
// code.
func table(head []string, rows [][]string, code ...int) (text, page string) {
	var b, h strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	h.WriteString("<table><thead><tr>")
	for _, cell := range head {
		fmt.Fprintf(&h, `<th style="text-align:left">%s</th>`, html.EscapeString(cell))
	}
	h.WriteString("</tr></thead><tbody>")
	lines := append([][]string{head}, rows...)
	for i, row := range lines {
		_, _ = fmt.Fprintln(w, strings.Join(row, "\t")) // a strings.Builder does not fail
		if i == 0 {
			continue
		}
		h.WriteString("<tr>")
		for column, cell := range row {
			cell = html.EscapeString(cell)
			for _, c := range code {
				if c == column && cell != "" {
					cell = "<code>" + cell + "</code>"
					break
				}
			}
			fmt.Fprintf(&h, `<td style="text-align:left">%s</td>`, cell)
		}
		h.WriteString("</tr>")
	}
	h.WriteString("</tbody></table>")
	_ = w.Flush()
	var trimmed []string
	for line := range strings.Lines(b.String()) {
		trimmed = append(trimmed, strings.TrimRight(line, " \n"))
	}
	return strings.Join(trimmed, "\n") + "\n", h.String()
}
