package main

import (
	"context"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/hierml/chart"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/internal/replace"
	"github.com/hierml/notebook/internal/visible"
)

// commandWatcher writes notes of work, each kind once, and a bar while it lasts.
type commandWatcher struct {
	cmd   *cobra.Command
	named func(text string) string // has settings as the command has them
	notes []string
	seen  map[string]bool
}

// watchedWork returns a context that Ctrl-C ends and that tells of work on standard error. named
// replaces the names of settings in what is told.
func watchedWork(cmd *cobra.Command, named func(text string) string) (context.Context, *commandWatcher, func()) {
	ctx, done := interruptible(cmd.Context())
	w := &commandWatcher{cmd: cmd, named: named, seen: make(map[string]bool)}
	progress.SetDefault(w)
	return progress.With(ctx, w), w, done
}

var figures = regexp.MustCompile(`[0-9]+`)

// Note implements progress.Watcher. Parts of a file tell the same but for numbers; it is said once.
func (w *commandWatcher) Note(text string) {
	text = w.named(text)
	kind, _, _ := strings.Cut(figures.ReplaceAllString(text, "#"), ", such as")
	if w.seen[kind] {
		return
	}
	w.seen[kind] = true
	w.notes = append(w.notes, text)
	w.cmd.PrintErrln(visible.Text(text))
}

// Begin implements progress.Watcher.
func (w *commandWatcher) Begin(what string) progress.Task {
	out := w.cmd.ErrOrStderr()
	return &commandTask{what: what, begun: time.Now(), bar: &workBar{w: out, terminal: isTerminal(out), said: time.Now()}}
}

// commandTask shows how far work is once it has lasted for a while.
type commandTask struct {
	what  string
	begun time.Time
	bar   *workBar
}

// Report implements progress.Task.
func (t *commandTask) Report(done float64, state func() string) {
	if time.Since(t.begun) >= patience {
		_ = t.bar.progress(done, t.what+", "+state()) // what cannot be shown is no reason to stop
	}
}

// Expect implements progress.Task.
func (t *commandTask) Expect(time.Duration) {}

// End implements progress.Task.
func (t *commandTask) End() { t.bar.end() }

// setting is how notes and errors of the library name settings of files.Table.
var (
	settingList = regexp.MustCompile(`\[files\.Table\{([^}]*)\}\]`)
	setting     = regexp.MustCompile(`files\.Table\{([A-Z][A-Za-z]*): (?:\[\]string\{)?("(?:[^"\\]|\\.)*"|'.')\}?\}`)
	namedBy     = regexp.MustCompile(`([A-Z][A-Za-z]*)(: no column named )`)
	missingSaid = regexp.MustCompile(`set Columns\{Number: .* with Table\.Filter`)
)

// inFlagsText returns a text of the library with the options of commands in place of settings.
func inFlagsText(text string) string {
	text = settingList.ReplaceAllStringFunc(text, func(list string) string {
		names, value, _ := strings.Cut(settingList.FindStringSubmatch(list)[1], ": ")
		var flags []string
		for name := range strings.SplitSeq(names, ", ") {
			flags = append(flags, flagOf(name))
		}
		if value = strings.TrimSuffix(strings.TrimPrefix(value, "[]string{"), "}"); value != "" {
			value = " " + value
		}
		return "[" + strings.Join(flags, ", ") + value + "]"
	})
	text = setting.ReplaceAllStringFunc(text, func(one string) string {
		parts := setting.FindStringSubmatch(one)
		return flagOf(parts[1]) + " " + parts[2]
	})
	text = strings.ReplaceAll(text, ", or leave such rows out and count them: Table{Repair: &files.Faults{}}", "")
	text = namedBy.ReplaceAllStringFunc(text, func(said string) string {
		parts := namedBy.FindStringSubmatch(said)
		return flagOf(parts[1]) + parts[2]
	})
	text = strings.ReplaceAll(text, ", Labelled() leaves such out", "")
	text = strings.ReplaceAll(text, "set Groups to", "give --group to")
	return missingSaid.ReplaceAllString(text, "set --fill, for example --fill mean, to replace them")
}

// inStudyText returns a text of the library with the name that settings of files.Table have in a
// study.
func inStudyText(text string) string { return strings.ReplaceAll(text, "files.Table{", "Reader{") }

// flagOf returns the option of a setting: --path-separator of PathSeparator.
func flagOf(name string) string {
	var b strings.Builder
	b.WriteString("--")
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 && name != "ID" {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// namedError is an error whose text names settings as a command has them.
type namedError struct {
	err   error
	named func(text string) string
}

func (e *namedError) Error() string { return e.named(e.err.Error()) }
func (e *namedError) Unwrap() error { return e.err }

// inFlags returns the error with options in place of settings.
func inFlags(err error) error { return &namedError{err, inFlagsText} }

// writeAnswers writes a part of the answers, whose rows are numbered on. The titles stand above the
// first part; the column note, which parts may lack, is always there.
func writeAnswers(ctx context.Context, w io.Writer, answers *dataset.Table, before int) error {
	if _, err := answers.Column("note"); err != nil {
		if answers, err = answers.With(dataset.Words("note", make([]string, answers.Len())...)); err != nil {
			return err
		}
	}
	if c := &answers.Columns[0]; c.Name == "row" && c.Kind == dataset.Number {
		for i := range c.Numbers {
			c.Numbers[i] += float64(before)
		}
	}
	var b strings.Builder
	if err := (files.Table{}).Write(ctx, &b, answers); err != nil {
		return err
	}
	text := b.String()
	if before > 0 {
		_, text, _ = strings.Cut(text, "\n")
	}
	_, err := io.WriteString(w, text)
	return err
}

// reportPage is a page about data and a model.
type reportPage struct {
	title string
	body  strings.Builder
}

// add adds a section.
func (p *reportPage) add(title string, parts ...string) {
	fmt.Fprintf(&p.body, "<h2>%s</h2>\n", html.EscapeString(title))
	for _, part := range parts {
		p.body.WriteString(part + "\n")
	}
}

// notes adds what was found out.
func (p *reportPage) notes(notes []string) {
	if len(notes) == 0 {
		return
	}
	p.body.WriteString("<h3>Notes on the table</h3>\n<ul>\n")
	for _, note := range notes {
		fmt.Fprintf(&p.body, "<li>%s</li>\n", html.EscapeString(note))
	}
	p.body.WriteString("</ul>\n")
}

// measures adds measures, the classes and the confusions.
func (p *reportPage) measures(r *metric.Report) {
	p.add("Measures", r.HTML())
	if figure, err := chart.ConfusionOf(r); err == nil {
		p.add("Confusions", figure.SVG())
	}
	if classes, err := r.Classes(); err == nil {
		p.add("Classes", classes.HTML())
	}
}

// write writes the page to a file, if one is named.
func (p *reportPage) write(file string) error {
	if file == "" {
		return nil
	}
	const head = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>%[1]s</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 70em; margin: 2em auto; padding: 0 1em; font-family: sans-serif; line-height: 1.4; }
svg { max-width: 100%%; height: auto; background: white; }
</style>
</head>
<body>
<h1>%[1]s</h1>
`
	page := fmt.Sprintf(head, html.EscapeString(p.title)) + p.body.String() + "</body>\n</html>\n"
	return replace.Content(file, []byte(page))
}
