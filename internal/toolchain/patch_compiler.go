package toolchain

import (
	_ "embed"
	"strings"
)

//go:embed compile/host.go.txt
var compilerHost string

// compiler is the compiler of cells: for it all packages whose paths begin with Prefix are one
// package. Each rule that compares packages, or looks whether a name is exported, is in one of
// these places.
var compiler = tool{name: "compile", description: "compiler", added: map[string]string{
	"gc/host.go":  compilerHost,
	"gc/table.go": strings.Replace(hostTable, "package ld", "package gc", 1),
}, replacements: []replacement{
	// What the program has of generic functions is not compiled again (compile/host.go.txt).
	{"gc/compile.go",
		"\t\treturn // we'll get this as part of its enclosing function\n\t}\n",
		"\t\treturn // we'll get this as part of its enclosing function\n\t}\n\n\tif inHost(fn) {\n\t\treturn\n\t}\n"},
	// The checker asks this of unexported names: they are the same if their packages are.
	{"types2/predicates.go",
		"\treturn a.path == b.path\n}",
		`	return a.path == b.path || isCell(a) && isCell(b)
}

func isCell(p *Package) bool {
	return p.path == "main" || len(p.path) > 5 && p.path[:5] == "cell/"
}
`},
	// The identity of an unexported field or method, by which they are looked up, holds the path of
	// its package.
	{"types2/object.go",
		"\t\tpath = pkg.path\n",
		"\t\tpath = pkg.path\n\t\tif isCell(pkg) {\n\t\t\tpath = \"main\"\n\t\t}\n"},
	// Methods are sorted by name and package; those of one package by name alone, in whichever cell
	// they were declared.
	{"types2/object.go",
		"\tif !ea {\n\t\treturn",
		"\tif !ea && !samePkg(a.pkg, b.pkg) {\n\t\treturn"},
	// A qualified identifier may be unexported: k3ˑ.point.
	{"types2/call.go",
		"if !exp.Exported() {",
		"if !exp.Exported() && !samePkg(pkg, check.pkg) {"},
	// A literal without field names may set unexported fields.
	{"types2/literals.go",
		"\t\t\t\tfld := fields[i]\n\t\t\t\tif !fld.Exported() && fld.pkg != check.pkg {",
		"\t\t\t\tfld := fields[i]\n\t\t\t\tif !fld.Exported() && !samePkg(fld.pkg, check.pkg) {"},
	// Unexported fields and methods are written to the export data as those of package main, so
	// that struct types and interfaces of two cells are identical for the parts of the compiler
	// that follow, and for the linker.
	{"noder/writer.go",
		"\tpkgIdx := pw.pkgIdx(obj.Pkg())\n\tnameIdx := pw.StringIdx(obj.Name())",
		`	pkg := obj.Pkg()
	if pkg != nil && strings.HasPrefix(pkg.Path(), "cell/") {
		if cellFields == nil {
			cellFields = types2.NewPackage("main", "main")
		}
		pkg = cellFields
	}
	pkgIdx := pw.pkgIdx(pkg)
	nameIdx := pw.StringIdx(obj.Name())`},
	{"noder/writer.go",
		"// selector writes the name of",
		"var cellFields *types2.Package\n\n// selector writes the name of"},
	// Export data lists the unexported objects of a cell too.
	{"noder/unified.go",
		"\t\t\tif types.IsExported(xname) {",
		"\t\t\tif types.IsExported(xname) || strings.HasPrefix(pr.PkgPath(), \"cell/\") {"},
	// Package main may not be imported and its objects are made reachable for plugin.Lookup;
	// neither is so for cells.
	{"noder/reader.go",
		"types.LocalPkg.Name == \"main\" && types",
		"types.LocalPkg.Name == \"main\" && !strings.HasPrefix(base.Ctxt.Pkgpath, \"cell/\") && types"},
	{"gc/obj.go",
		"types.LocalPkg.Name == \"main\" {",
		"types.LocalPkg.Name == \"main\" && base.Ctxt.Pkgpath[:min(5, len(base.Ctxt.Pkgpath))] != \"cell/\" {"},
	// Selections of fields and methods, after the checker, by symbols of main.
	{"typecheck/typecheck.go",
		"sym.Pkg == types.LocalPkg)",
		"sym.Pkg == types.LocalPkg || sym.Pkg.Path == \"main\")"},
	{"typecheck/expr.go",
		"&& s.Pkg != types.LocalPkg {",
		"&& s.Pkg != types.LocalPkg && s.Pkg.Path != \"main\" {"},
	// An interface with methods tells its type by a table. There are several tables for one type
	// and interface where the run time made one before a plugin brought another, so cells compare
	// the types in them.
	{"ssagen/ssa.go",
		"		// Looking for pointer to itab for target type and source interface.\n\t\twantedFirstWord = targetItab\n",
		"		// Looking for pointer to itab for target type and source interface.\n\t\twantedFirstWord = targetItab\n" + `
		if strings.HasPrefix(base.Ctxt.Pkgpath, "cell/") {
			firstWord, wantedFirstWord = s.typeInItab(itab), target
		}
`},
	{"ssagen/ssa.go",
		"	var wantedFirstWord *ssa.Value\n",
		"	firstWord := itab\n	var wantedFirstWord *ssa.Value\n"},
	{"ssagen/ssa.go",
		"types.Types[types.TBOOL], itab, wantedFirstWord)",
		"types.Types[types.TBOOL], firstWord, wantedFirstWord)"},
	{"ssagen/ssa.go",
		"// temp allocates a temp of type t at position pos\n",
		`// typeInItab returns the type in a table, or nil if there is no table.
func (s *state) typeInItab(itab *ssa.Value) *ssa.Value {
	byteptr := s.f.Config.Types.BytePtr
	there := s.newValue2(ssa.OpNeqPtr, types.Types[types.TBOOL], itab, s.constNil(byteptr))
	b := s.endBlock()
	b.Kind = ssa.BlockIf
	b.SetControl(there)
	b.Likely = ssa.BranchLikely
	some, none, end := s.f.NewBlock(ssa.BlockPlain), s.f.NewBlock(ssa.BlockPlain), s.f.NewBlock(ssa.BlockPlain)
	b.AddEdgeTo(some)
	b.AddEdgeTo(none)
	s.startBlock(some)
	s.vars[typVar] = s.load(byteptr, s.newValue1I(ssa.OpOffPtr, byteptr, rttype.ITab.OffsetOf("Type"), itab))
	s.endBlock()
	some.AddEdgeTo(end)
	s.startBlock(none)
	s.vars[typVar] = itab
	s.endBlock()
	none.AddEdgeTo(end)
	s.startBlock(end)
	typ := s.variable(typVar, byteptr)
	delete(s.vars, typVar)
	return typ
}

// temp allocates a temp of type t at position pos
`},
	{"walk/compare.go",
		"	eqtab, eqdata := compare.EqInterface(n.X, n.Y)\n",
		`	eqtab, eqdata := compare.EqInterface(n.X, n.Y)
	if strings.HasPrefix(base.Ctxt.Pkgpath, "cell/") && !n.X.Type().IsEmptyInterface() {
		x, y := eqtab.X, eqtab.Y
		some := ir.NewLogicalExpr(base.Pos, ir.OANDAND, ir.NewBinaryExpr(base.Pos, ir.ONE, typecheck.NodNil(), x), ir.NewBinaryExpr(base.Pos, ir.ONE, typecheck.NodNil(), y))
		types := ir.NewLogicalExpr(base.Pos, ir.OANDAND, some, ir.NewBinaryExpr(base.Pos, ir.OEQ, itabType(x), itabType(y)))
		var equal ir.Node = ir.NewLogicalExpr(base.Pos, ir.OANDAND, ir.NewLogicalExpr(base.Pos, ir.OOROR, eqtab, types), eqdata)
		if n.Op() == ir.ONE {
			equal = ir.NewUnaryExpr(base.Pos, ir.ONOT, equal)
		}
		return finishCompare(n, equal, init)
	}
`},
	{"walk/switch.go",
		"	var hashField *types.Field\n	if itab.X.Type().IsEmptyInterface() {\n",
		`	if strings.HasPrefix(base.Ctxt.Pkgpath, "cell/") && !itab.X.Type().IsEmptyInterface() {
		// Tables that the run time made have no hash.
		hash := runtimeField("hash", rttype.Type.OffsetOf("Hash"), types.Types[types.TUINT32])
		return boundedDotPtr(pos, itabType(itab), hash)
	}
	var hashField *types.Field
	if itab.X.Type().IsEmptyInterface() {
`},
	{"walk/compare.go",
		"import (\n",
		"import (\n	\"strings\"\n"},
	// Nothing calls methods of the shapes that instances of generic types are compiled for: what is
	// generic finds methods in its dictionary. Go compiles them, for each package that reads of
	// reflect.Type, say, some fifty functions, which is more than a cell has.
	{"noder/reader.go",
		"func (r *reader) needWrapper(typ *types.Type) {\n",
		"func (r *reader) needWrapper(typ *types.Type) {\n\tif typ.IsShape() {\n\t\treturn\n\t}\n\n"},
	// The name of an instance of a generic type holds the paths of its type arguments. At run time
	// they are those of package main.
	{"reflectdata/reflect.go",
		"p := t.NameString()",
		"p := mainNames(t.NameString())"},
	// So is the path of a type's package, by which reflect and gob tell it. Types of one name of two
	// cells stay two: the run time takes a type for that of another plugin only if the sums of their
	// names for the linker are equal too.
	{"reflectdata/reflect.go",
		"\ts := base.Ctxt.Lookup(\"type:.importpath.\" + p.Prefix + \".\")\n",
		`	if strings.HasPrefix(p.Path, "cell/") {
		main := types.NewPkg("main", "main")
		dimportpath(main)
		p.Pathsym = main.Pathsym
		return
	}
	s := base.Ctxt.Lookup("type:.importpath." + p.Prefix + ".")
`},
	// The name of a method says nothing of main, which no receiver is of.
	{"ir/expr.go",
		"\tif !types.IsExported(msym.Name) && msym.Pkg != rpkg {\n\t\tb.WriteString(\".\")",
		"\tif !types.IsExported(msym.Name) && msym.Pkg != rpkg && (msym.Pkg.Path != \"main\" || len(rpkg.Path) < 5 || rpkg.Path[:5] != \"cell/\") {\n\t\tb.WriteString(\".\")"},
	{"reflectdata/reflect.go",
		"// dcommontype dumps the contents of a reflect.rtype (runtime._type) to c.\n",
		`// mainNames puts main in place of the paths of cells, and leaves out what tells an earlier
// declaration of a type from the one that the session has now.
func mainNames(name string) string {
	for {
		before, rest, marked := strings.Cut(name, "\u02d1")
		if !marked {
			break
		}
		name = before + strings.TrimPrefix(strings.TrimLeft(rest, "0123456789"), "\u02d1")
	}
	for from := 0; ; {
		i := strings.Index(name[from:], "cell/")
		if i < 0 {
			return name
		}
		i += from
		from = i + 1
		if i > 0 && !strings.ContainsRune("[],*({ ;", rune(name[i-1])) && !strings.HasSuffix(name[:i], "...") {
			continue
		}
		if end := strings.IndexByte(name[i:], '.'); end > 0 {
			name = name[:i] + "main" + name[i+end:]
		}
	}
}

// dcommontype dumps the contents of a reflect.rtype (runtime._type) to c.
`},
	// Operations on channels are calls of package cell, and are to cost what those of Go do: they are
	// inlined whatever is in them, and count as little when it is asked whether to inline their
	// callers.
	{"inline/inl.go",
		"\tbudget := int32(inlineMaxBudget)\n",
		"\tbudget := int32(inlineMaxBudget)\n\tif isOperation(fn) {\n\t\tbudget *= 4\n\t}\n"},
	{"inline/inl.go",
		"\t\tCost:            budget - visitor.budget,\n",
		"\t\tCost:            costOf(fn, budget-visitor.budget),\n"},
	{"inline/inl.go",
		"func inlineBudget(",
		`func isOperation(fn *ir.Func) bool {
	name, _, _ := strings.Cut(fn.Sym().Name, "[")
	return fn.Sym().Pkg.Path == "github.com/hierml/notebook/kernel/internal/compiled/cell" &&
		(name == "Receive" || name == "ReceiveOK" || name == "Send")
}

func costOf(fn *ir.Func, cost int32) int32 {
	if isOperation(fn) {
		return min(cost, inlineBigFunctionMaxCost)
	}
	return cost
}

func inlineBudget(`},
}}
