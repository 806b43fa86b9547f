package page

import (
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"strings"
	"sync"
	"time"

	"github.com/dop251/goja"
)

// katex is KaTeX 0.19.1, as its authors build it, with its licence (MIT) beside it. Of what it can do only MathML is used,
// which browsers draw without a script, a style sheet or a font of ours.
//
//go:embed katex/katex.min.js
var katex string

var katexProgram = sync.OnceValues(func() (*goja.Program, error) { return goja.Compile("katex.min.js", katex, false) })

// formulas makes MathML of LaTeX. It is made when a page has its first formula, for that takes a tenth of a second.
type formulas struct {
	machine *goja.Runtime
	render  goja.Callable
	secret  string   // in the marks, so that no notebook can write one
	made    []string // the MathML of the marks
}

// A formula must be done in formulaTime: a notebook may be made to have one that never is.
const (
	formulaTime  = 5 * time.Second
	formulaDepth = 2000 // of calls
)

func (f *formulas) start() error {
	program, err := katexProgram()
	if err != nil {
		return err
	}
	f.machine = goja.New()
	f.machine.SetMaxCallStackSize(formulaDepth)
	// KaTeX is a module of Node where it finds one.
	module := f.machine.NewObject()
	exports := f.machine.NewObject()
	if err := errors.Join(module.Set("exports", exports), f.machine.Set("module", module), f.machine.Set("exports", exports)); err != nil {
		return err
	}
	if _, err := f.machine.RunProgram(program); err != nil {
		return err
	}
	var ok bool
	if f.render, ok = goja.AssertFunction(module.Get("exports").ToObject(f.machine).Get("renderToString")); !ok {
		return errors.New("KaTeX has no function renderToString")
	}
	f.secret = rand.Text()
	return nil
}

// mathML returns LaTeX as an element math. The error is that of the LaTeX.
func (f *formulas) mathML(latex string, display bool) (math string, err error) {
	if f.machine == nil {
		if err := f.start(); err != nil {
			return "", err
		}
	}
	options := f.machine.NewObject()
	for name, value := range map[string]any{"output": "mathml", "displayMode": display, "strict": false, "trust": false, "maxExpand": 1000, "maxSize": 20} {
		if err := options.Set(name, value); err != nil {
			return "", err
		}
	}
	late := time.AfterFunc(formulaTime, func() { f.machine.Interrupt("the formula takes too long") })
	value, err := f.render(goja.Undefined(), f.machine.ToValue(latex), options)
	late.Stop()
	f.machine.ClearInterrupt()
	if err != nil {
		return "", err
	}
	html := value.String()
	begin, end := strings.Index(html, "<math"), strings.LastIndex(html, "</math>")
	if begin < 0 || end < begin {
		return "", errors.New("KaTeX returned no MathML")
	}
	return html[begin : end+len("</math>")], nil
}

// html returns the HTML of LaTeX, which is the LaTeX where it cannot be drawn.
func (f *formulas) html(latex string, display bool) template.HTML {
	class := "formula"
	if display {
		class = "formula display"
	}
	math, err := f.mathML(latex, display)
	if err != nil {
		text, _, _ := strings.Cut(err.Error(), " at katex.min.js")
		return template.HTML(fmt.Sprintf(`<code class="%s" title="%s">%s</code>`, class, template.HTMLEscapeString(text), template.HTMLEscapeString(latex)))
	}
	return template.HTML(fmt.Sprintf(`<span class="%s">%s</span>`, class, math))
}

// mark returns a text that stands for a formula until the HTML around it has been sanitised.
func (f *formulas) mark(latex string, display bool) string {
	f.made = append(f.made, string(f.html(latex, display)))
	return f.name(len(f.made) - 1)
}

func (f *formulas) name(i int) string { return fmt.Sprintf("formula-%s-%d-", f.secret, i) }

// insert puts the formulas in the places of their marks.
func (f *formulas) insert(html template.HTML) template.HTML {
	pairs := make([]string, 0, 2*len(f.made))
	for i, math := range f.made {
		pairs = append(pairs, f.name(i), math)
	}
	f.made = nil
	return template.HTML(strings.NewReplacer(pairs...).Replace(string(html)))
}

// bare returns LaTeX without the dollar signs or brackets around it that say how it is shown.
func bare(latex string) string {
	latex = strings.TrimSpace(latex)
	for _, fence := range [][2]string{{"$$", "$$"}, {`\[`, `\]`}, {`\(`, `\)`}, {"$", "$"}} {
		if inner, ok := strings.CutPrefix(latex, fence[0]); ok {
			if inner, ok = strings.CutSuffix(inner, fence[1]); ok {
				return strings.TrimSpace(inner)
			}
		}
	}
	return latex
}
