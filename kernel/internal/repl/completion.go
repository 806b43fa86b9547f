package repl

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/reeflective/readline"

	"github.com/hierml/notebook/kernel/internal/assist"
)

// tab is the command of the Tab key. At the beginning of a line it indents. Elsewhere it completes
// the word: with the common prefix of all candidates, and if that adds nothing, with one candidate
// after the other from a list.
func (e *editor) tab() {
	line, cursor := e.shell.Line(), e.shell.Cursor()
	switch {
	case e.asks:
		return
	case e.shell.Keymap.Local() != "":
		e.command("menu-complete")()
		return
	case e.beginsLine():
		e.shell.History.Save()
		cursor.InsertAt('\t')
		return
	}
	at := cursor.Pos()
	found := e.engine.Complete(string(*line), at)
	if len(found.Candidates) == 0 || found.Start > at {
		e.shell.Hint.SetTemporary("no completion found")
		return
	}
	typed := string((*line)[found.Start:at])
	common := commonPrefix(found.Candidates)
	end := at
	if len(found.Candidates) == 1 {
		end = found.End
	}
	if len(found.Candidates) == 1 || len(common) > len(typed) || len(common) == len(typed) && common != typed {
		e.shell.History.Save()
		line.Cut(found.Start, end)
		cursor.Set(found.Start)
		cursor.InsertAt([]rune(common)...)
		return
	}
	if !e.look.color {
		e.show(table(found.Candidates)) // the library's menu needs colours
		return
	}
	e.command("menu-complete")()
}

// maxListed bounds the listed candidates if there is no menu.
const maxListed = 20

// table lists candidates, one per line.
func table(candidates []assist.Candidate) string {
	listed := candidates[:min(len(candidates), maxListed)]
	width := 0
	for _, c := range listed {
		width = max(width, ansi.StringWidth(c.Text))
	}
	var b strings.Builder
	for _, c := range listed {
		fmt.Fprintf(&b, "%s%s  %s\n", c.Text, strings.Repeat(" ", width-ansi.StringWidth(c.Text)), describe(c))
	}
	if more := len(candidates) - len(listed); more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	return b.String()
}

// commonPrefix is the common beginning of all candidates.
func commonPrefix(candidates []assist.Candidate) string {
	common := []rune(candidates[0].Text)
	for _, c := range candidates[1:] {
		n := 0
		for _, r := range c.Text {
			if n == len(common) || common[n] != r {
				break
			}
			n++
		}
		common = common[:n]
	}
	return string(common)
}

// candidates returns the candidates in the library's format.
func (e *editor) candidates(line []rune, at int) readline.Completions {
	if e.asks {
		return readline.Completions{}
	}
	found := e.engine.Complete(string(line), at)
	if found.Start > at {
		return readline.Completions{}
	}
	// The library completes the text back to the last space, unless it gets another prefix, which
	// cannot be empty: then the preceding character is included. It also counts bytes.
	typed := string(line[found.Start:at])
	ahead := ""
	if typed == "" && at > 0 {
		ahead = string(line[at-1])
	}
	if !ascii(ahead + typed) {
		return readline.CompleteMessage("%s", names(found.Candidates))
	}
	// The library puts candidates with equal descriptions on one row, whatever their order, so they
	// differ in invisible characters.
	equal := make(map[string]int)
	var values []readline.Completion
	for _, c := range found.Candidates {
		description := describe(c)
		unseen := strings.Repeat("\x1b[0m", equal[description])
		equal[description]++
		values = append(values, readline.Completion{Value: ahead + c.Text, Display: c.Text, Description: description + unseen})
	}
	completions := readline.CompleteRaw(values).NoSort().ListSeparator(" ")
	completions.PREFIX = ahead + typed
	return completions
}

// describe describes a candidate in a few words.
func describe(c assist.Candidate) string {
	switch {
	case c.Signature == "":
		return c.Kind
	case c.Kind == "function" || c.Kind == "method":
		return "func" + c.Signature
	case strings.HasPrefix(c.Signature, c.Kind):
		return c.Signature
	}
	return c.Kind + " " + c.Signature
}

func names(candidates []assist.Candidate) string {
	var texts []string
	for _, c := range candidates {
		texts = append(texts, c.Text)
	}
	return strings.Join(texts, "  ")
}

func ascii(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}
