package syntax

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// A habit is a line of another language, with Go's way to write it.
type habit struct {
	line *regexp.Regexp
	help func(m []string) string // may return nothing
}

// block matches the beginning of a Python block, which may continue on the line; braced also
// matches that of a Go block.
const (
	block  = `(?:\s*:(?:\s.*)?)`
	braced = `(?:\s*(?::(?:\s.*)?|\{.*))`

	// operand is a simple expression: names, calls and elements.
	operand = `[\pL_][\w.]*(?:\[[^\]]*\]|\([^()]*\))*`
)

// said returns a function that always returns the same help.
func said(text string) func([]string) string { return func([]string) string { return text } }

// habits are those of newcomers, mostly from Python, in the order in which they are tried. Most
// sessions need none.
var habits = sync.OnceValue(func() []habit {
	return []habit{
		{regexp.MustCompile(`^for\s+(\w+)\s+in\s+range(?:\(([^,:]+?)\)|\s+([^,:]+?))` + braced + `?$`), func(m []string) string {
			return fmt.Sprintf("for %s := range %s { … }", m[1], m[2]+m[3])
		}},
		{regexp.MustCompile(`^for\s+(\w+)\s+in\s+range\(([^,:]+),\s*([^,:]+)\)` + braced + `?$`), func(m []string) string {
			return fmt.Sprintf("for %[1]s := %[2]s; %[1]s < %[3]s; %[1]s++ { … }", m[1], m[2], m[3])
		}},
		{regexp.MustCompile(`^for\s+(\w+)\s+in\s+(.+?)` + braced + `?$`), func(m []string) string {
			return fmt.Sprintf("for _, %s := range %s { … }", m[1], m[2])
		}},
		{regexp.MustCompile(`^while\s+(.+?)` + braced + `?$`), func(m []string) string { return "for " + m[1] + " { … }" }},
		{regexp.MustCompile(`^def\s+(\w+)\s*\((.*)\)`), func(m []string) string {
			return "func " + m[1] + "(x int) int { … }, with the types of parameters and result"
		}},
		{regexp.MustCompile(`^class\s+(\w+)`), func(m []string) string { return "type " + m[1] + " struct { … }" }},
		{regexp.MustCompile(`^from\s+[\w.]+\s+import\s+(.+)$`), imported},
		{regexp.MustCompile(`\btype\(([^()]+)\)$`), func(m []string) string { return "fmt.Printf(\"%T\\n\", " + m[1] + ")" }},
		{regexp.MustCompile(`^(?:import|from)\s+(?:numpy|scipy|pandas)\b`), said("use the packages mat, floats and stat of gonum, and dataset: they need no import")},
		{regexp.MustCompile(`^(?:import|from)\s+(?:sklearn|hiclass|torch|tensorflow)\b`), said("use svm, perceptron, metric and the other packages of hierml: they need no import")},
		{regexp.MustCompile(`^(?:import|from)\s+(?:matplotlib|seaborn|plotly)\b`), said("use the packages chart and plot: they need no import")},
		{regexp.MustCompile(`^import\s+([\w.]+)(?:\s+as\s+(\w+))?$`), func(m []string) string {
			return strings.Join(strings.Fields("import "+m[2]+` "`+m[1]+`"`), " ") + ", with the path of the package in quotes"
		}},
		{regexp.MustCompile(`^from\s+\S+\s+import\b`), said(`import "path", with the path of the package in quotes`)},
		{regexp.MustCompile(`^(if|elif|else\s+if|else)\b(.*?)` + block + `$`), func(m []string) string {
			word := m[1]
			if word == "elif" {
				word = "else if"
			}
			return word + m[2] + " { … }"
		}},
		{regexp.MustCompile(`^try\s*:|^except\b|^with\b.*:$`), said("in Go a failing function returns an error, which stops the cell at its top level")},
		{regexp.MustCompile(`\blambda\s+(\w*).*:`), said("func(x int) int { return … }")},
		{regexp.MustCompile(`(?:^|[^\w"'])f["'].*\{`), said(`fmt.Sprintf("… %v", x)`)},
		{regexp.MustCompile(`[\[{(].*\bfor\s+\w+(?:\s*,\s*\w+)*\s+in\b.*[\]})]$`), said("Go has no comprehensions: for _, x := range xs { ys = append(ys, f(x)) }")},
		{regexp.MustCompile(`\b(\w+)\(.*\b\w+\s*=[^=]`), namedArguments},
		{regexp.MustCompile(`(\w+\.[A-Z]\w*)\(([A-Z]\w*\s*=[^=()][^()]*)\)`), func(m []string) string {
			fields := regexp.MustCompile(`(\w+)\s*=\s*`).ReplaceAllString(m[2], "$1: ")
			return m[1] + "{" + fields + "}"
		}},
		{regexp.MustCompile(`\w\(.*\b\w+\s*=[^=].*\)$`), said("Go has no named arguments: their order counts, and settings are fields, as in svm.Flat{C: 1}")},
		{regexp.MustCompile(`^(\w+)\s*:?=\s*\[(.*)\]$`), func(m []string) string {
			return m[1] + " := " + listType(m[2]) + "{" + strings.ReplaceAll(m[2], "'", `"`) + "}"
		}},
		{regexp.MustCompile(`^(\w+)\s*:?=\s*\{(.*:.*)\}$`), func(m []string) string {
			return m[1] + " := map[string]int{" + strings.ReplaceAll(m[2], "'", `"`) + "}, with the types of keys and values"
		}},
		{regexp.MustCompile(`\w\s+(?:and|or)\s+\w|(?:^|\s)not\s+\w`), said("write &&, || and ! for and, or and not")},
		{regexp.MustCompile(`^` + operand + `(?:\s*,\s*` + operand + `)+$`), func(m []string) string {
			return "one expression is shown at the end of a cell: fmt.Println(" + m[0] + ") prints all"
		}},
		{regexp.MustCompile(`[:=(,]\s*\((\d+(?:\s*,\s*\d+)+)\)`), func(m []string) string {
			return fmt.Sprintf("Go has no tuples: [%d]int{%s}", strings.Count(m[1], ",")+1, m[1])
		}},
		{regexp.MustCompile(`^print\s+([^\s(].*)$`), func(m []string) string { return "fmt.Println(" + m[1] + ")" }},
		{regexp.MustCompile(`(.*)`), called},
		{regexp.MustCompile(`^#`), said("comments begin with //")},
	}
})

// imported returns the help for the first imported Python name that has a counterpart.
func imported(m []string) string {
	for name := range strings.FieldsFuncSeq(m[1], func(r rune) bool { return strings.ContainsRune(" ,()", r) }) {
		if text := CounterpartOf(name, false); text != "" {
			return text
		}
	}
	return ""
}

// call matches a call.
var call = regexp.MustCompile(`\b(\w+)\(`)

// called returns the help for the first call on a line that has a counterpart.
func called(m []string) string {
	for _, name := range call.FindAllStringSubmatch(m[1], -1) {
		if text := CounterpartOf(name[1], false); text != "" {
			return text
		}
	}
	return ""
}

// inOrder are functions whose arguments Python users name, with their calls here.
var inOrder = map[string]string{
	"Split": "corpus.Split(0.3, 1)", "Folds": "corpus.Folds(5, 1)", "Fit": "model := svm.Flat{C: 1}.Fit(nb.Context(), trainSet)",
	"Predict": "model.Predict(testSet.X)", "Transform": "words.Transform(train)", "Open": `files.Table{Label: "label"}.Open(nb.Context(), "my.csv", nil)`,
	"Println": `fmt.Println("a", "b")`,
}

// namedArguments returns the help for a call with named arguments: the call here.
func namedArguments(m []string) string {
	if code := inOrder[m[1]]; code != "" {
		return "Go has no named arguments: " + code
	}
	return CounterpartOf(m[1], true)
}

// listType returns the type of a list with these elements.
func listType(elements string) string {
	switch first, _, _ := strings.Cut(strings.TrimSpace(elements), ","); {
	case strings.ContainsAny(first, `"'`):
		return "[]string"
	case strings.Contains(first, ".") || first == "":
		return "[]float64"
	}
	return "[]int"
}

// habitHint returns a hint for a complaint of go/parser at an offset of a cell: about a line that
// is not Go, or an unclosed bracket.
func habitHint(l *Lexed, at int) string {
	source := l.Cell.Source
	line, _, _ := strings.Cut(source[strings.LastIndexByte(source[:at], '\n')+1:], "\n")
	line = strings.TrimSuffix(strings.TrimSpace(line), ";")
	for _, h := range habits() {
		if m := h.line.FindStringSubmatch(line); m != nil {
			if text := h.help(m); text != "" {
				return " (" + text + ")"
			}
		}
	}
	if bracket := unclosed(l.Lexemes); bracket != nil {
		row, _ := l.Position(l.Origin(bracket.Pos))
		return fmt.Sprintf(" (the %s of line %d is not closed)", bracket.Tok, row)
	}
	return ""
}
