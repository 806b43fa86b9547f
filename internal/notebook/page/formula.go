package page

import (
	_ "embed"
	"errors"
	"html/template"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/dop251/goja"
)

// temml is Temml 0.13.5 as its authors have published it, under the MIT licence beside it. It
// converts LaTeX to MathML. goja, an interpreter of JavaScript in Go, runs it.
//
//go:embed temml.min.js
var temml string

var temmlProgram = sync.OnceValue(func() *goja.Program { return goja.MustCompile("temml.min.js", temml, true) })

// The bounds on the formulas of a notebook. Temml's work grows with the square of a formula's
// length.
const (
	maxFormula   = 2000            // bytes of one formula
	maxWork      = 50_000          // of all different formulas, by the function work
	sparedMathML = 100_000         // bytes of MathML beyond 20 for each byte of LaTeX
	callDepth    = 5000            // of Temml's functions, which call each other for each brace
	maxTime      = 3 * time.Second // of one formula; some commands in each other take exponential time
)

// work is the share of maxWork that a formula takes: 115 for 60 bytes, 840 for 240 bytes.
func work(latex string) int { return 20 + len(latex) + len(latex)*len(latex)/100 }

// A drawing converts the formulas of one notebook to MathML. It shows the LaTeX of a formula that
// Temml does not know, and of those beyond the bounds.
type drawing struct {
	convert func(latex string, display bool) (string, error) // nil before the first formula
	known   map[formulaKey]string                            // MathML, empty if there is none
	left    int                                              // of maxWork
	spared  int                                              // of sparedMathML
}

type formulaKey struct {
	latex   string
	display bool
}

func newDrawing() *drawing {
	return &drawing{known: make(map[formulaKey]string), left: maxWork, spared: sparedMathML}
}

// html returns a formula as MathML, or its LaTeX in a box. The LaTeX may have its dollar signs. The
// result still has to be sanitized.
func (d *drawing) html(latex string, display bool) template.HTML {
	latex = strings.TrimSpace(latex)
	mathML := d.mathML(formulaKey{withoutFence(latex), display})
	if over := len(mathML) - 20*len(latex); mathML != "" && over <= d.spared {
		d.spared -= max(over, 0)
		return template.HTML(mathML)
	}
	class := "math"
	if display {
		class += " display"
	}
	return template.HTML(`<code class="` + class + `">` + template.HTMLEscapeString(latex) + "</code>")
}

// longFormula is the number of symbols above which paper has a formula in small print.
const longFormula = 80

// block returns a formula that stands alone. It scrolls where it is wider than the page.
func (d *drawing) block(latex string) template.HTML {
	body, class := d.html(latex, true), "formula"
	if strings.Count(string(body), "</m") > longFormula {
		class += " long"
	}
	return `<div class="` + template.HTML(class) + `">` + body + "</div>"
}

// mathML returns the MathML of a formula, empty if there is none.
func (d *drawing) mathML(key formulaKey) string {
	mathML, known := d.known[key]
	cost := work(key.latex)
	if known || len(key.latex) > maxFormula || cost > d.left || defines.MatchString(key.latex) {
		return mathML
	}
	d.left -= cost
	d.known[key] = d.converted(key)
	return d.known[key]
}

// converted returns what Temml makes of a formula, empty if it fails. A panic of goja costs the
// formula and the interpreter; the next formula gets another one.
func (d *drawing) converted(key formulaKey) (mathML string) {
	defer func() {
		if recover() != nil {
			d.convert, mathML = nil, ""
		}
	}()
	if d.convert == nil {
		d.convert = newConverter()
	}
	mathML, err := d.convert(key.latex, key.display)
	if _, interrupted := errors.AsType[*goja.InterruptedError](err); interrupted {
		d.left = 0 // the next ones stay LaTeX, or each could take as long
	}
	if err != nil {
		return ""
	}
	return mathML
}

// defines matches commands that define others, by which a short formula can become a long one.
var defines = regexp.MustCompile(`\\([gex]?def|(re)?newcommand|providecommand|(future)?let|global|long)([^a-zA-Z]|$)`)

// withoutFence returns LaTeX without the signs that it stands between.
func withoutFence(latex string) string {
	for _, fence := range [][2]string{{"$$", "$$"}, {"$", "$"}, {`\[`, `\]`}, {`\(`, `\)`}} {
		if inner, ok := strings.CutPrefix(latex, fence[0]); ok {
			if inner, ok = strings.CutSuffix(inner, fence[1]); ok {
				return strings.TrimSpace(inner)
			}
		}
	}
	return latex
}

// newConverter loads Temml and returns its function. Temml sees a text, and nothing else: neither
// files nor a network.
func newConverter() func(latex string, display bool) (string, error) {
	vm := goja.New()
	vm.SetMaxCallStackSize(callDepth)
	if _, err := vm.RunProgram(temmlProgram()); err != nil {
		panic(err) // the embedded program is at fault
	}
	render, ok := goja.AssertFunction(vm.Get("temml").ToObject(vm).Get("renderToString"))
	if !ok {
		panic("Temml has no function renderToString")
	}
	return func(latex string, display bool) (string, error) {
		options := vm.NewObject()
		if err := errors.Join(options.Set("displayMode", display), options.Set("throwOnError", true)); err != nil {
			return "", err
		}
		timer := time.AfterFunc(maxTime, func() { vm.Interrupt("too slow") })
		defer vm.ClearInterrupt()
		defer timer.Stop()
		result, err := render(goja.Undefined(), vm.ToValue(latex), options)
		if err != nil {
			return "", err
		}
		return result.String(), nil
	}
}
