package export

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// commentWidth is how wide the lines of comments are.
const commentWidth = 80

// assemble joins the parts of the program.
func (w *writing) assemble() string {
	var out strings.Builder
	out.WriteString(w.doc + "package main\n\n")
	out.WriteString(w.imports())
	for _, d := range w.declarations {
		out.WriteString(d + "\n")
	}
	for i, s := range w.stops {
		if s != nil && s.used {
			out.WriteString(stopText(s.out, i+1) + "\n")
		}
	}
	if rest := w.comments(); rest != "" {
		w.cells = append(w.cells, rest)
	}
	out.WriteString("func main() {\n" + strings.Join(w.cells, "\n") + "}\n")
	return out.String()
}

// stopText writes the function around calls with n values that leave out errors within expressions.
func stopText(name string, n int) string {
	letters, values, params := make([]string, n), make([]string, n), ""
	for i := range n {
		letters[i], values[i] = string(rune('A'+i)), string(rune('a'+i))
		params += values[i] + " " + letters[i] + ", "
	}
	results := strings.Join(letters, ", ")
	return fmt.Sprintf("// %[1]s returns the results of a call without its error, and panics if there is one.\nfunc %[1]s[%[2]s any](%[3]serr error) (%[2]s) {\nif err != nil {\npanic(err)\n}\nreturn %[4]s\n}\n",
		name, results, params, strings.Join(values, ", "))
}

// imports writes the import declaration: the standard library first.
func (w *writing) imports() string {
	type line struct {
		path, name, comment string
		standard            bool
	}
	var lines []line
	add := func(path, name, comment string) {
		first, _, _ := strings.Cut(path, "/")
		lines = append(lines, line{path, name, comment, !strings.Contains(first, ".")})
	}
	for _, s := range w.symbols {
		if s.kind != packageSymbol || !s.used {
			continue
		}
		name := s.out
		if pkg, err := w.Importer.Import(s.path); err == nil && pkg.Name() == name {
			name = ""
		}
		add(s.path, name, s.comment)
	}
	for _, e := range w.exporter.cells {
		if e.k == nil {
			continue
		}
		for _, spec := range e.k.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && spec.Name != nil && spec.Name.Name == "_" {
				add(path, "_", "")
			}
		}
	}
	if len(lines) == 0 {
		return ""
	}
	slices.SortFunc(lines, func(a, b line) int {
		if a.standard != b.standard {
			if a.standard {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.name, b.name))
	})
	lines = slices.Compact(lines)
	text := func(l line) string {
		return strings.TrimSpace(fmt.Sprintf("%s %q %s", l.name, l.path, l.comment))
	}
	if len(lines) == 1 {
		return "import " + text(lines[0]) + "\n\n"
	}
	var out strings.Builder
	out.WriteString("import (\n")
	for i, l := range lines {
		if i > 0 && l.standard != lines[i-1].standard {
			out.WriteByte('\n')
		}
		out.WriteString(text(l) + "\n")
	}
	return out.String() + ")\n\n"
}

// quote turns code into a comment.
func quote(code string) string {
	var out strings.Builder
	for line := range strings.Lines(strings.TrimRight(code, "\n") + "\n") {
		out.WriteString(strings.TrimRight("//\t"+noConstraint(line), "\t\r\n ") + "\n")
	}
	return out.String()
}

// noConstraint changes a comment line that Go would take for a build constraint, which could
// exclude the whole program.
func noConstraint(line string) string {
	if strings.HasPrefix(strings.TrimSpace(line), "+build") {
		return strings.Replace(line, "+build", `\+build`, 1)
	}
	return line
}

// commentOf turns Markdown into a comment. It rewraps paragraphs with long lines, and keeps other
// lines.
func commentOf(markdown string) string {
	var out strings.Builder
	var paragraph []string
	indent := "" // of the later lines of a list item
	flush := func() {
		long := slices.ContainsFunc(paragraph, func(l string) bool { return len([]rune(l)) > commentWidth+20 })
		if long {
			paragraph = wrap(strings.Fields(strings.Join(paragraph, " ")), indent)
		}
		for _, l := range paragraph {
			out.WriteString("// " + noConstraint(l) + "\n")
		}
		paragraph, indent = nil, ""
	}
	fenced, empty := false, false
	for line := range strings.Lines(strings.TrimSpace(markdown)) {
		line = strings.TrimRight(line, " \t\r\n")
		bare := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(bare, "```"):
			flush()
			if fenced = !fenced; fenced && out.Len() > 0 && !empty {
				out.WriteString("//\n")
			}
			empty = false
			continue
		case fenced:
			out.WriteString(strings.TrimRight("//\t"+noConstraint(line), "\t") + "\n")
			continue
		case bare == "":
			flush()
			out.WriteString("//\n")
			empty = true
			continue
		case startsItem(bare):
			flush()
			indent = "  "
		case strings.HasPrefix(bare, "#") || strings.HasPrefix(bare, "|"):
			flush()
			out.WriteString("// " + noConstraint(bare) + "\n")
			empty = false
			continue
		}
		empty = false
		paragraph = append(paragraph, line)
	}
	flush()
	return out.String()
}

// startsItem reports whether a line of Markdown begins an item of a list.
func startsItem(line string) bool {
	for _, mark := range []string{"- ", "* ", "+ ", "> "} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	digits := strings.TrimLeft(line, "0123456789")
	return digits != line && strings.HasPrefix(digits, ". ")
}

// wrap breaks words into lines.
func wrap(words []string, indent string) []string {
	var lines []string
	line := ""
	for _, word := range words {
		switch {
		case line == "":
			line = word
		case len([]rune(line))+1+len([]rune(word)) > commentWidth:
			lines = append(lines, line)
			line = indent + word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
