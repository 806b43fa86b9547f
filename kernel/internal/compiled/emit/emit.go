package emit

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/change"
	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
	"github.com/hierml/notebook/stdlib"
)

// Mark ends generated names, and begins those of the variables that hold functions.
const Mark = "ˑ"

const (
	CellPath = "github.com/hierml/notebook/kernel/internal/compiled/cell"
	GobPath  = "github.com/hierml/notebook/kernel/internal/compiled/gobnames"
)

var (
	unitName = regexp.MustCompile(`"` + toolchain.Prefix + `\d+"\.|\bk\d+` + Mark + `\.`)
	marks    = regexp.MustCompile(Mark + `(\d+` + Mark + `)?`)
)

// UserNames replaces generated names in a message of the compiler by those of the user.
func UserNames(message string) string {
	return marks.ReplaceAllString(unitName.ReplaceAllString(message, ""), "")
}

// An Emitter writes the units of a session.
type Emitter struct {
	*check.Checker
	// homes maps the session's declarations to their places: types and constants by object,
	// functions by *state.Function, variables by lowered name.
	homes map[any]home
	// holders are the variables that hold the newest version of a function.
	holders map[*state.Function][]holder
	Units   int
	// loaded finds units that may run again by their text without the parts specific to their cell.
	loaded    map[string]loaded
	instances instances
	// showsFiles says that a unit may ask for the file of its callers, which would be that of the
	// cell that the unit was compiled for.
	showsFiles bool
}

// loaded is a loaded unit, and the number of its cell.
type loaded struct {
	path string
	cell int
}

// A holder is the place of a variable that holds a function, and the function's type there.
type holder struct {
	home
	typ string
}

// A home is the place of a declaration.
type home struct {
	path, name string
	// indirect says that the place has a pointer to the variable.
	indirect bool
}

// New returns an emitter for the session of a checker.
func New(c *check.Checker) *Emitter {
	return &Emitter{Checker: c, homes: map[any]home{}, holders: map[*state.Function][]holder{}, loaded: map[string]loaded{}}
}

// A Unit is a unit that is being written.
type Unit struct {
	*Emitter
	state.Spelling
	path string
	l    *change.Change // of its cell; its undos revert the unit's changes

	// aliases maps import paths to the names of the packages in the text.
	aliases map[string]string
	blank   []string // imported for their effects
	// names are the names that the package declares, and local those declared within the current
	// user text.
	names, local map[string]bool

	parts     []string        // declarations
	functions []function      // come last
	setup     []func() string // write statements before the cell's own
	run       strings.Builder
	variables []string
	pointers  []string // to variables of other units
	types     []string // entries of the table of types
	// generics are the generic types that the unit declares for the first time, renews says that it
	// compiles types again, and kept are instances that mention these.
	generics []string
	renews   bool
	kept     []string
	moved    []program.Moved
	// held are statements that set the variables that hold functions of the unit, before everything
	// else.
	held []string
	// inits are the init functions that were not called yet.
	inits []change.InitCall
	// files are those of program.Units.
	files map[string]int
	// embed is the files that variables embed; nil if there are none.
	embed *toolchain.Embed
	// registers says that the unit registers types with package gob.
	registers bool
	// runs says that there are statements, and failing that they use the variable for errors.
	runs, failing bool
}

// A function is the text of a function or method, and where its user wrote it.
type function struct {
	cell, offset int
	text         string
}

func (e *Emitter) newUnit(l *change.Change) *Unit {
	e.Units++
	u := &Unit{Emitter: e, l: l, path: fmt.Sprintf("%s%d", toolchain.Prefix, e.Units), aliases: map[string]string{}, names: map[string]bool{}, files: map[string]int{}}
	u.Spelling = state.Spelling{
		TypeName: func(obj *types.TypeName) string {
			if h, ok := u.homes[obj]; ok {
				return u.typeName(obj, h)
			}
			return ""
		},
		PackageName: func(path, name string) string { return u.alias(path, name) },
		Predeclared: func(name string) string { return u.predeclared(name) },
	}
	return u
}

// emit writes the unit of a cell whose declarations the session knows. The change's rollback
// reverts the emitter's changes.
func (e *Emitter) emit(l *change.Change) (unit *toolchain.Unit, compiled *program.Compiled, problems []syntax.Problem) {
	u := e.newUnit(l)
	defer func() {
		if r := recover(); r != nil {
			no, ok := r.(state.Unspoken)
			if !ok {
				panic(r)
			}
			l.Rollback()
			problems = []syntax.Problem{e.Problem(l.Pos, no.Error())}
		}
	}()
	u.instances.note(u.Session, l.K.Info)
	set := u.own()
	u.claim(set)
	u.declare(set)
	if u.renews {
		u.keepInstances(u.mentionsOwn)
	}
	u.statements()
	u.importBlank()
	b, c := u.assemble(l.K.Source.Cell.Title())
	if u.empty() {
		return nil, &program.Compiled{}, nil
	}
	if len(set.types)+len(set.variables) == 0 && u.reuse(b, c, set) {
		return nil, c, nil
	}
	return b, c, nil
}

// empty reports whether the unit neither declares nor does anything, for example because its
// declarations exist already.
func (u *Unit) empty() bool {
	return !u.runs && len(u.parts)+len(u.variables)+len(u.pointers)+len(u.types)+len(u.moved)+len(u.blank) == 0
}

// reuse makes the cell run a loaded unit if one has the same text and declares nothing that must be
// new. It reports whether there is one.
func (u *Unit) reuse(b *toolchain.Unit, c *program.Compiled, set *compilation) bool {
	number := u.l.K.Source.Cell.Number
	replaced := []string{
		u.l.K.Source.Cell.CompiledFile() + ":", "/cell/:",
		fmt.Sprintf("%q", u.path), "",
		"// " + u.l.K.Source.Cell.Title() + "\n", "",
		fmt.Sprintf("%s(err%s, %d,", u.cell("Failed"), Mark, number), "Failed(",
	}
	for n := range check.MaxLeft {
		stop := fmt.Sprintf("Stop%d(", n+1)
		replaced = append(replaced, fmt.Sprintf("%s%d,", u.cell(stop), number), stop)
	}
	text := strings.NewReplacer(replaced...).Replace(b.Source)
	old, there := u.loaded[text]
	if !there || u.showsFiles {
		u.loaded[text] = loaded{u.path, number}
		u.l.Later(func() { delete(u.loaded, text) })
		return false
	}
	declared := func(key any) {
		h := u.homes[key]
		h.path = old.path
		u.settle(key, h)
	}
	src := u.l.K.Source
	for _, fn := range set.functions {
		declared(fn)
		if of, line, _, end := u.Span(fn.Written); of == src {
			u.l.Relocate(program.Relocation{Function: fn.Name, Cell: old.cell, Line: line, End: end, Now: number})
		}
	}
	end, _ := src.Position(len(src.Cell.Source))
	u.l.Relocate(program.Relocation{Cell: old.cell, Line: 1, End: end, Now: number})
	for _, c := range set.constants {
		declared(types.Object(c))
	}
	*c = program.Compiled{Units: program.Units{Paths: []string{old.path}}}
	if u.runs {
		c.Run = old.path
	}
	return true
}

// refer returns the name of a declaration in the text.
func (u *Unit) refer(h home) string {
	name := h.name
	if h.path != u.path {
		name = u.alias(h.path, "") + "." + name
	}
	if h.indirect {
		return "(*" + name + ")"
	}
	return name
}

// alias returns the name of a package in the text. The unit imports the package if the text
// mentions it.
func (u *Unit) alias(path, name string) string {
	if a, ok := u.aliases[path]; ok {
		return a
	}
	if rest, ok := strings.CutPrefix(path, toolchain.Prefix); ok {
		name = "k" + rest
	}
	a := name + Mark
	for n := 2; slices.Contains(slices.Collect(maps.Values(u.aliases)), a); n++ {
		a = fmt.Sprintf("%s%s%d%s", name, Mark, n, Mark)
	}
	u.aliases[path] = a
	return a
}

// cell returns the name of a function of package cell.
func (u *Unit) cell(name string) string { return u.alias(CellPath, "cell") + "." + name }

// gob returns the name of a function of package gobnames. The unit must find a variable of package
// gob for it.
func (u *Unit) gob(name string) string {
	path := u.alias(GobPath, "gobnames")
	if !u.registers {
		u.registers = true
		types := "gobTypes" + Mark
		u.parts = append(u.parts, fmt.Sprintf("%svar _ %s.Pointer\n//go:linkname %s encoding/gob.nameToConcreteType\nvar %[3]s %s.Map\n",
			generated, u.alias("unsafe", "unsafe"), types, u.alias("sync", "sync")))
		u.held = append(u.held, path+".Types = &"+types)
	}
	return path + "." + name
}

// settle records the place of a declaration of the unit.
func (u *Unit) settle(key any, h home) {
	old, had := u.homes[key]
	u.homes[key] = h
	u.l.Later(func() {
		if had {
			u.homes[key] = old
		} else {
			delete(u.homes, key)
		}
	})
}

// hold records a variable that holds a function.
func (u *Unit) hold(fn *state.Function, h holder) {
	old := u.holders[fn]
	u.holders[fn] = append(slices.Clip(old), h)
	u.l.Later(func() { u.holders[fn] = old })
}

// importBlank imports what the cell imports for its effects.
func (u *Unit) importBlank() {
	for _, spec := range u.l.K.Imports {
		if spec.Name != nil && spec.Name.Name == "_" {
			if path, ok := u.ImportedBy(spec); ok {
				u.blank = append(u.blank, path)
			}
		}
	}
}

// assemble joins the parts of the unit.
func (u *Unit) assemble(title string) (*toolchain.Unit, *program.Compiled) {
	b := &toolchain.Unit{Path: u.path, Embed: u.embed}
	compiled := &program.Compiled{Units: program.Units{Paths: []string{u.path}, Moved: u.moved, Files: u.files}, Renews: u.renews || len(u.moved) > 0}
	var tail strings.Builder
	fields, run, variables := "", u.predeclared("nil"), u.predeclared("nil")
	body := ""
	for _, statement := range u.setup {
		body += statement()
	}
	if body += u.run.String(); body != "" {
		if u.failing {
			body = "var err" + Mark + " " + u.predeclared("error") + "\n_ = err" + Mark + "\n" + body
		}
		fmt.Fprintf(&tail, "func run%s() {\n%s}\n", Mark, body)
		run = "run" + Mark
		fields += "Run: " + run + ", "
		compiled.Run, u.runs = u.path, true
	}
	table := func(field, typ string, entries []string) (text string) {
		if len(entries) > 0 {
			text = fmt.Sprintf("map[%s]%s{%s}", u.predeclared("string"), typ, strings.Join(entries, ", "))
			fields += field + ": " + text + ", "
		}
		return text
	}
	pointers := func(names []string) []string {
		out := make([]string, len(names))
		for i, name := range names {
			out[i] = fmt.Sprintf("%q: &%s", name, name)
		}
		return out
	}
	variables = cmp.Or(table("Variables", u.predeclared("any"), pointers(u.variables)), variables)
	table("Moved", u.predeclared("any"), pointers(u.pointers))
	if len(u.types) > 0 {
		table("Types", u.alias("reflect", "reflect")+".Type", u.types)
	}
	list := func(field, typ string, entries []string) {
		if len(entries) > 0 {
			fields += fmt.Sprintf("%s: []%s{%s}, ", field, typ, strings.Join(entries, ", "))
		}
	}
	list("Generics", u.predeclared("string"), u.generics)
	if len(u.kept) > 0 {
		list("Instances", u.alias("reflect", "reflect")+".Type", u.kept)
	}
	register := fmt.Sprintf("%s(%q, %s{%s})", u.cell("Register"), u.path, u.cell("Code"), strings.TrimSuffix(fields, ", "))
	if len(u.pointers)+len(u.types)+len(u.generics)+len(u.kept) == 0 {
		register = fmt.Sprintf("%s(%q, %s, %s)", u.cell("RegisterRun"), u.path, run, variables)
	}
	fmt.Fprintf(&tail, "%sfunc init() { %s }\n", generated, strings.Join(append(u.held, register), "; "))

	var out strings.Builder
	fmt.Fprintf(&out, "// %s\n", title)
	if version := u.l.K.GoVersion; version != "" {
		fmt.Fprintf(&out, "//go:build %s\n", version)
	}
	text := strings.Join(u.parts, "") + tail.String()
	out.WriteString("package main\n\nimport (\n")
	for _, path := range slices.Sorted(maps.Keys(u.aliases)) {
		if !strings.Contains(text, u.aliases[path]) {
			continue // the code that mentioned it was not written
		}
		fmt.Fprintf(&out, "%s %q\n", u.aliases[path], path)
		if !strings.HasPrefix(path, toolchain.Prefix) {
			b.Imports = append(b.Imports, path)
		}
	}
	for _, path := range u.blank {
		fmt.Fprintf(&out, "_ %q\n", path)
		b.Imports = append(b.Imports, path)
	}
	out.WriteString(")\n\n" + text)
	b.Source = out.String()
	u.showsFiles = u.showsFiles || slices.ContainsFunc(b.Imports, showsFiles)
	return b, compiled
}

// showsFiles reports whether a package tells where it is called, or is a user's package, which may.
func showsFiles(path string) bool {
	switch path {
	case "log", "log/slog", "runtime", "runtime/debug":
		return true
	case CellPath, StandardPath, GobPath, "unsafe":
		return false
	}
	return !slices.Contains(stdlib.Paths(), path)
}

// generated precedes generated text.
const generated = "//line /cell/0:1:1\n"

// line returns the line directive for the following text.
func (u *Unit) line(n ast.Node) string { return u.lineAt(n.Pos(), 0) }

// lineAt returns the line directive for text that begins some columns later.
func (u *Unit) lineAt(pos token.Pos, behind int) string {
	src, offset := u.At(pos)
	if src == nil {
		return generated
	}
	name := src.Cell.CompiledFile()
	if src.Cell.File != "" {
		u.files[name] = src.Cell.Number
	}
	line, column := src.Position(offset)
	return fmt.Sprintf("//line %s:%d:%d\n", name, line, max(1, column-behind))
}
