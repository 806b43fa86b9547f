package main

import (
	"strings"

	"github.com/spf13/cobra"
)

//go:generate go test -run TestManualPage -update .

// manualPageOf returns the help of all commands and topics as one page for the program man.
func manualPageOf(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(".\\\" Made of what hierml help prints, by go generate ./kernel.\n.TH HIERML 1 \"\" \"hierml\" \"User Commands\"\n")
	root.InitDefaultHelpFlag()
	root.InitDefaultVersionFlag()
	for _, p := range passages(root, 66) {
		writeRoff(&b, "SH", p)
	}
	for _, cmd := range all(root) {
		if cmd == root || cmd.Hidden {
			continue
		}
		cmd.InitDefaultHelpFlag()
		// The name of a section is in capitals, as those of others are.
		b.WriteString(".SH " + roffArgument(strings.ToUpper(strings.TrimPrefix(cmd.CommandPath(), "hierml "))) + "\n")
		for _, p := range passages(cmd, 66) {
			if p.heading == "NAME" {
				p.heading, p.prose = "", cmd.Short+"."
			}
			writeRoff(&b, "SS", p)
		}
	}
	return b.String()
}

// writeRoff writes a passage below a heading that a macro makes; nothing if it is empty.
func writeRoff(b *strings.Builder, macro string, p passage) {
	if p.prose == "" && p.verbatim == "" && len(p.items) == 0 {
		return
	}
	if p.heading != "" {
		b.WriteString("." + macro + " " + roffArgument(p.heading) + "\n")
	}
	if p.prose != "" {
		roffProse(b, p.prose, p.heading != "")
	}
	if p.verbatim != "" {
		roffVerbatim(b, strings.Split(strings.Trim(p.verbatim, "\n"), "\n"))
	}
	for _, item := range p.items {
		b.WriteString(".TP\n.B " + roffArgument(item[0]) + "\n" + roffLine(item[1]) + "\n")
	}
}

// roffProse writes paragraphs, in which indented lines stay as they are. The first one needs no
// macro below a heading.
func roffProse(b *strings.Builder, text string, first bool) {
	var kept []string
	flush := func() {
		for len(kept) > 0 && kept[len(kept)-1] == "" {
			kept = kept[:len(kept)-1]
		}
		if len(kept) > 0 {
			roffVerbatim(b, kept)
		}
		kept = nil
	}
	paragraph := false
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		switch {
		case line == "" && len(kept) > 0:
			kept = append(kept, "")
		case line == "":
			paragraph = false
		case indented:
			kept = append(kept, line)
			paragraph = false
		default:
			flush()
			if !paragraph && !first {
				b.WriteString(".PP\n")
			}
			paragraph, first = true, false
			b.WriteString(roffLine(line) + "\n")
		}
	}
	flush()
}

// roffVerbatim writes lines as they are.
func roffVerbatim(b *strings.Builder, lines []string) {
	b.WriteString(".PP\n.nf\n")
	for _, line := range lines {
		b.WriteString(roffLine(strings.ReplaceAll(line, "\t", "    ")) + "\n")
	}
	b.WriteString(".fi\n")
}

// roffLine writes a line of text: without what would be a request of roff, and with the characters
// of programs where roff has those of print.
func roffLine(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(line)
	if strings.HasPrefix(line, ".") {
		return `\&` + line
	}
	return line
}

// roffArgument writes the only argument of a macro.
func roffArgument(text string) string {
	return `"` + strings.ReplaceAll(roffLine(text), `"`, `\(dq`) + `"`
}
