package export

import (
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"runtime"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// program writes the program, and once more for variables that it does not use, which only the
// whole of it shows.
func (x *exporter) program() ([]byte, error) {
	for range 2 {
		text, err := x.attempt()
		if err != nil {
			return nil, err
		}
		program, err := format.Source([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("the export has a fault: %w in\n%s", err, text)
		}
		unused, err := x.verify(program)
		if err != nil {
			return nil, fmt.Errorf("the export has a fault: %w in\n%s", err, program)
		}
		if !unused {
			return program, nil
		}
	}
	return nil, errors.New("the export has a fault: variables stay unused")
}

// attempt writes the program with what is known of its variables.
func (x *exporter) attempt() (text string, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case state.Unspoken:
			err = fmt.Errorf("cannot write the program: %w", r)
		default:
			panic(r)
		}
	}()
	for _, s := range x.symbols {
		s.declared, s.used = false, false
	}
	w := &writing{exporter: x}
	for _, e := range x.cells {
		w.cell(e)
	}
	return w.assemble(), nil
}

// verify type-checks the program. It reports whether it has variables that are not used, and marks
// them.
func (x *exporter) verify(program []byte) (unused bool, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "main.go", program, parser.SkipObjectResolution)
	if err != nil {
		return false, err
	}
	var faults []error
	conf := &types.Config{
		Importer:  x.Importer,
		GoVersion: check.GoVersion,
		Sizes:     types.SizesFor("gc", runtime.GOARCH),
		Error: func(err error) {
			var e types.Error
			if errors.As(err, &e) {
				if name, ok := strings.CutPrefix(e.Msg, "declared and not used: "); ok && x.markUnused(name) {
					unused = true
					return
				}
			}
			faults = append(faults, err)
		},
	}
	_, _ = conf.Check(state.PackagePath, fset, []*ast.File{file}, nil) // which reports to Error
	return unused, errors.Join(faults...)
}

func (x *exporter) markUnused(out string) bool {
	for _, s := range x.symbols {
		if s.kind == variableSymbol && s.out == out && !s.unused {
			s.unused = true
			return true
		}
	}
	return false
}

// A writing is a program that is being written.
type writing struct {
	*exporter
	// pending are the comments for what comes next.
	pending []string
	// doc is the comment of the package.
	doc string
	// declarations are those of the package, and cells the statements.
	declarations []string
	cells        []string

	// of the cell that is being written:
	e       *exportedCell
	stmts   map[*piece][]ast.Stmt // nil until they are asked for
	kept    map[int]bool          // where types are named that are not what they were; nil likewise
	hoisted []string              // variables of the package
	before  []string              // variables of main, before a wrapped cell
	local   []string              // declarations
	behind  string                // what is shown behind a wrapped cell

	// mainError and cellError say where the variable for errors that cells leave out is declared.
	mainError, cellError bool
}

// cell writes a cell.
func (w *writing) cell(e *exportedCell) {
	w.e, w.stmts, w.kept, w.hoisted, w.before, w.local, w.behind, w.cellError = e, nil, nil, nil, nil, nil, "", false
	switch {
	case e.Text:
		text := commentOf(e.Source)
		switch {
		case text == "":
		case w.doc == "" && e.index == 0:
			w.doc = text
		default:
			w.pending = append(w.pending, text)
		}
		return
	case strings.TrimSpace(e.Source) == "":
		return
	case e.Skipped:
		w.pending = append(w.pending, "// This cell is not run:\n//\n"+quote(e.Source))
		return
	case e.failure != "":
		w.pending = append(w.pending, "// This cell does not compile:\n//\n"+quote(e.failure)+"//\n"+quote(e.Source))
		return
	}
	statements := w.statements()
	if len(w.hoisted) == 1 {
		w.local = append([]string{"var " + w.hoisted[0] + "\n"}, w.local...)
	} else if len(w.hoisted) > 1 {
		w.local = append([]string{"var (\n" + strings.Join(w.hoisted, "\n") + "\n)\n"}, w.local...)
	}
	switch {
	case statements != "":
		w.cells = append(w.cells, w.comments()+statements)
	case len(w.local) > 0 && len(w.pending) > 0:
		w.declarations = append(w.declarations, w.comments())
	}
	w.declarations = append(w.declarations, w.local...)
}

// comments takes what is pending.
func (w *writing) comments() string {
	text := strings.Join(w.pending, "//\n")
	w.pending = nil
	return text
}

// statements writes the statements of the cell, and keeps its declarations.
func (w *writing) statements() string {
	var out strings.Builder
	for _, v := range w.e.sets {
		s := v.symbol
		if s.kind == methodSymbol {
			fmt.Fprintf(&out, "%s = %s.%s\n", s.out, w.receiver(s), v.out)
			continue
		}
		fmt.Fprintf(&out, "%s = %s\n", s.out, v.out)
	}
	inits := w.e.inits
	call := func(offset int) {
		for len(inits) > 0 && inits[0].start < offset {
			fmt.Fprintf(&out, "%s()\n", inits[0].out)
			inits = inits[1:]
		}
	}
	for i := range w.e.pieces {
		p := &w.e.pieces[i]
		if p.Kind != syntax.ItemStatement {
			w.declaration(p)
			continue
		}
		if !p.none {
			call(p.Start)
		}
		text := w.statement(p)
		if text == "" {
			continue
		}
		if p.spaced && out.Len() > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(text)
	}
	call(len(w.e.Source) + 1)
	text := out.String()
	if text == "" || !w.e.wrapped {
		return text
	}
	begin, end := "func() {\n", "}()\n"
	switch {
	case w.e.returns():
		list := w.e.k.ShownTypes(w.e.k.Value)
		results := make([]*types.Var, len(list))
		for i, t := range list {
			results[i] = types.NewParam(token.NoPos, nil, "", t)
		}
		sig := types.NewSignatureType(nil, nil, nil, nil, types.NewTuple(results...), false)
		call := w.display(list, "func"+w.Signature(sig)+" {\n"+text+"}()")
		return strings.Join(w.before, "") + call + "\n"
	case w.e.Fails:
		begin = fmt.Sprintf("// This part may fail; the rest runs all the same.\nfunc() {\ndefer func() {\nif r := recover(); r != nil {\n%s.Fprintln(%s.Stderr, \"panic:\", r)\n}\n}()\n",
			w.pkg("fmt", "fmt"), w.pkg("os", "os"))
	}
	return strings.Join(w.before, "") + begin + text + end + w.behind
}

// around puts the comments of a piece around its text.
func (p *piece) around(text string) string {
	lead := p.lead
	if p.apart && lead != "" {
		lead += "\n"
	}
	text = strings.TrimSuffix(text, "\n")
	if p.trail != "" {
		text += " " + p.trail
	}
	return lead + text + "\n"
}

// declaration keeps a declaration of the cell.
func (w *writing) declaration(p *piece) {
	switch {
	case p.dropped:
	case p.Kind == syntax.ItemConst:
		w.local = append(w.local, p.around(w.part(p.Start, p.End)))
	case p.Kind == syntax.ItemType:
		if text := w.types(p); text != "" {
			w.local = append(w.local, p.around(text))
		}
	case p.Kind == syntax.ItemFunc:
		w.function(p)
	}
}

// part returns a part of the cell's source with the names of the program.
func (w *writing) part(start, end int) string {
	src := w.e.k.Source
	return w.text(src, w.e.uses.between(src, start, end), start, end, nil, w.e)
}

// node returns the text of a node of the cell.
func (w *writing) node(n ast.Node) string {
	_, start := w.At(n.Pos())
	return w.part(start, start+int(n.End()-n.Pos()))
}

// types writes a declaration of types without those that are what they were.
func (w *writing) types(p *piece) string {
	if w.kept == nil {
		w.kept = map[int]bool{}
		for _, spec := range w.e.k.Types {
			_, offset := w.At(spec.Name.Pos())
			w.kept[offset] = true
		}
	}
	list, spans := specs(w.e.Source[p.Start:p.End])
	var out []string
	for i, spec := range list {
		if start := p.Start + spans[i].start; w.kept[start] || spec.Name.Name == "_" {
			out = append(out, "type "+w.part(start, p.Start+spans[i].end)+"\n")
		}
	}
	if len(out) == len(list) {
		return w.part(p.Start, p.End)
	}
	return strings.Join(out, "")
}

// function writes the versions of a function that the text of a piece is.
func (w *writing) function(p *piece) {
	src := w.e.k.Source
	versions := w.versions[sourcePlace{src, p.Start}]
	if len(versions) == 0 {
		w.local = append(w.local, p.lead+"// It uses a name that no cell declares:\n//\n"+quote(w.e.Source[p.Start:p.End]))
		return
	}
	for i, v := range versions {
		if v == v.symbol.versions[0] && slices.Contains(v.cell.sets, v) {
			w.variable(v)
		}
		within := func(start, end int) string { return w.text(src, v.uses, start, end, v, v.cell) }
		text := within(v.start, v.nameAt) + v.out + within(v.nameAt+len(v.name()), v.end)
		if i == 0 {
			text = p.around(text)
		} else {
			text += "\n"
		}
		w.local = append(w.local, text)
	}
}

// name returns the name of the function as the user has it.
func (v *version) name() string {
	end := v.nameAt
	for _, r := range v.source.Cell.Source[v.nameAt:] {
		if r != '_' && !('a' <= r && r <= 'z') && !('A' <= r && r <= 'Z') && !('0' <= r && r <= '9') && r < 0x80 {
			break
		}
		end += len(string(r))
	}
	return v.source.Cell.Source[v.nameAt:end]
}

// variable declares what a function goes by that is declared again.
func (w *writing) variable(v *version) {
	s := v.symbol
	note := fmt.Sprintf("// %s is declared more than once. main sets it to the current version.\n", s.name)
	if s.kind != methodSymbol {
		w.local = append(w.local, fmt.Sprintf("%svar %s func%s\n", note, s.out, w.Signature(v.signature)))
		return
	}
	recv := v.signature.Recv().Type()
	params := w.Params(v.signature)
	list := append([]string{w.Typ(recv)}, params...)
	head, call := make([]string, len(params)), []string{"r"}
	for i, p := range params {
		name := fmt.Sprintf("p%d", i+1)
		head[i] = name + " " + p
		if strings.HasPrefix(p, "...") {
			name += "..."
		}
		call = append(call, name)
	}
	results := strings.TrimPrefix(w.Signature(types.NewSignatureType(nil, nil, nil, nil, v.signature.Results(), false)), "()")
	give := "return "
	if results == "" {
		give = ""
	}
	w.local = append(w.local,
		fmt.Sprintf("%svar %s func(%s)%s\n", note, s.out, strings.Join(list, ", "), results),
		fmt.Sprintf("func (r %s) %s(%s)%s { %s%s(%s) }\n", w.Typ(recv), s.name, strings.Join(head, ", "), results, give, s.out, strings.Join(call, ", ")))
}

// receiver writes the type that a method belongs to, as a method expression has it.
func (w *writing) receiver(s *symbol) string {
	recv := s.method.Signature().Recv().Type()
	if _, ok := recv.(*types.Pointer); ok {
		return "(" + w.Typ(recv) + ")"
	}
	return w.Typ(recv)
}
