package toolchain

import _ "embed"

//go:embed link/imports.go.txt
var linkerImports string

// hostTable is read by the compiler, too.
//
//go:embed link/table.go.txt
var hostTable string

//go:embed link/loader.go.txt
var loaderImports string

//go:embed link/shared.go.txt
var linkerShared string

//go:embed link/names.go.txt
var linkerNames string

// linker is the linker of plugins: what the program has is imported and not linked again
// (link/imports.go.txt). Go's linker brings along all that a plugin reaches, which for a plot is 16
// MB, and takes time, in each plugin.
var linker = tool{name: "link", description: "linker",
	added: map[string]string{"ld/imports.go": linkerImports, "ld/table.go": hostTable, "ld/names.go": linkerNames, "ld/shared.go": linkerShared, "loader/imports.go": loaderImports},
	replacements: []replacement{
		{"ld/main.go",
			"\tctxt.loadlib()\n",
			"\tloadHost(ctxt)\n\tctxt.loadlib()\n"},
		// Of the program's packages only those are read that the plugin refers to.
		{"ld/link.go",
			"\tpkg := objabi.PathToPrefix(l.Pkg)\n",
			"\tpkg := objabi.PathToPrefix(l.Pkg)\n\tif imports != nil && *flagPart {\n\t\taddReferenced(ctxt, l, pn)\n\t\treturn\n\t}\n"},
		{"ld/lib.go",
			"\tiscgo = ctxt.LibraryByPkg[\"runtime/cgo\"] != nil\n",
			"\tiscgo = ctxt.LibraryByPkg[\"runtime/cgo\"] != nil || imports != nil\n"},
		// A plugin has a tenth of the names that there is room for.
		{"loader/loader.go",
			"make(map[string]Sym, 80000), make(map[string]Sym, 50000)",
			"make(map[string]Sym, 16000), make(map[string]Sym, 8000)"},
		// A library that is loaded later may define what was referred to before.
		{"loader/loader.go",
			"\toldr, oldli := l.toLocal(oldi)\n\toldsym :=",
			"\toldr, oldli := l.toLocal(oldi)\n\tif l.isExtReader(oldr) {\n\t\tl.objSyms[oldi] = objSym{r.objidx, li}\n\t\treturn oldi\n\t}\n\toldsym :="},
		// What has no name is loaded where it is referred to (link/loader.go.txt).
		{"loader/loader.go",
			"\tfor _, r := range l.objs[goObjStart:] {\n\t\tsymSize +=",
			"\tfor _, r := range l.objs[goObjStart:] {\n\t\tif Partial(r.unit.Lib) {\n\t\t\tcontinue\n\t\t}\n\t\tsymSize +="},
		{"loader/loader.go",
			"\tfor _, r := range l.objs[goObjStart:] {\n\t\tst.preloadSyms(r, pkgDef)\n",
			"\tloading = &st\n\tfor _, r := range l.objs[goObjStart:] {\n\t\tst.preloadSyms(r, pkgDef)\n"},
		{"loader/loader.go",
			"\tloadingRuntimePkg := r.unit.Lib.Pkg == \"runtime\"\n",
			"\tloadingRuntimePkg := r.unit.Lib.Pkg == \"runtime\"\n\tpartial := Partial(r.unit.Lib)\n\tif partial && (kind == hashed64Def || kind == hashedDef) {\n\t\treturn\n\t}\n"},
		{"loader/loader.go",
			"\t\t\tv = abiToVer(osym.ABI(), r.version)\n\t\t}\n",
			"\t\t\tv = abiToVer(osym.ABI(), r.version)\n\t\t}\n\t\tif partial && kind == pkgDef && name == \"\" {\n\t\t\tcontinue\n\t\t}\n"},
		{"loader/loader.go",
			"i < n; i++ {\n\t\tosym := r.Sym(ndef + i)\n",
			"i < n && !Partial(r.unit.Lib); i++ {\n\t\tosym := r.Sym(ndef + i)\n"},
		{"loader/loader.go",
			"i := int(s.SymIdx) + r.ndef\n\t\treturn r.syms[i]\n",
			"i := int(s.SymIdx) + r.ndef\n\t\treturn l.symbol(r, uint32(i))\n"},
		{"loader/loader.go",
			"i := int(s.SymIdx) + r.ndef + r.nhashed64def\n\t\treturn r.syms[i]\n",
			"i := int(s.SymIdx) + r.ndef + r.nhashed64def\n\t\treturn l.symbol(r, uint32(i))\n"},
		{"loader/loader.go",
			"i := int(s.SymIdx) + r.ndef + r.nhashed64def + r.nhasheddef\n\t\treturn r.syms[i]\n",
			"i := int(s.SymIdx) + r.ndef + r.nhashed64def + r.nhasheddef\n\t\treturn l.symbol(r, uint32(i))\n"},
		{"loader/loader.go",
			"\treturn l.toGlobal(rr, s.SymIdx)\n",
			"\treturn l.symbol(rr, s.SymIdx)\n"},
		{"loader/loader.go",
			"\t\tif !ok {\n\t\t\tlog.Fatalf(\"%v: reference to nonexistent",
			"\t\tif !ok && Partial(r.unit.Lib) {\n\t\t\tcontinue\n\t\t}\n\t\tif !ok {\n\t\t\tlog.Fatalf(\"%v: reference to nonexistent"},
		{"loader/loader.go",
			"\t\trr = l.objs[r.pkg[p]]\n",
			"\t\trr = l.objs[r.pkg[p]]\n\t\tif rr == nil && Lenient {\n\t\t\treturn 0\n\t\t}\n\t\tif rr == nil {\n\t\t\trr = l.missing(r, p)\n\t\t}\n"},
		{"loader/loader.go",
			"\tfor i, n := 0, r.NRefFlags(); i < n; i++ {\n",
			"\tfor i, n := 0, r.NRefFlags(); i < n && !Partial(r.unit.Lib); i++ {\n"},
		// The C code of the program's packages is in the program.
		{"ld/lib.go",
			"\tif magic == 0x7f454c46 { // \\x7F E L F\n",
			"\tif magic == 0x7f454c46 { // \\x7F E L F\n\t\tif hosted(lib) {\n\t\t\treturn nil\n\t\t}\n"},
		// Here the text of the plugin is laid out.
		{"ld/lib.go",
			"\tctxt.Textp = ctxt.loader.AssignTextSymbolOrder(",
			"\timports.hide(ctxt.loader)\n\tdefer imports.declare(ctxt.loader)\n\tctxt.Textp = ctxt.loader.AssignTextSymbolOrder("},
		// The program's packages are initialized.
		{"ld/inittask.go",
			"\t\t\ts := r.Sym()\n\t\t\tedges =",
			`			s := r.Sym()
			if imports != nil && imports.has(ldr.SymName(s)) {
				ndeps--
				continue
			}
			edges =`},
		{"ld/deadcode.go",
			"\t\tsymIdx := d.wq.pop()\n",
			"\t\tsymIdx := d.wq.pop()\n\t\tif d.imported(symIdx) {\n\t\t\tcontinue\n\t\t}\n"},
		{"ld/deadcode.go",
			"\t\t\trs := r.Sym()\n\t\t\tif isgotype && usedInIface",
			"\t\t\trs := r.Sym()\n\t\t\tif isOffset(t) {\n\t\t\t\td.keep(rs)\n\t\t\t}\n\t\t\tif isgotype && usedInIface"},
		{"ld/deadcode.go",
			"\trelocs := d.ldr.Relocs(m.src)\n\td.mark(",
			"\trelocs := d.ldr.Relocs(m.src)\n\tfor i := range 3 {\n\t\td.keep(relocs.At(m.r + i).Sym())\n\t}\n\td.mark("},
		// Methods of an imported type are kept by the tables of the interfaces that it has in the
		// plugin, not by the type.
		{"ld/deadcode.go",
			"if d.ctxt.linkShared && d.ldr.IsItab(symIdx) {",
			"if (d.ctxt.linkShared || imports != nil) && d.ldr.IsItab(symIdx) {"},
		// The linker of the system is not needed (link/shared.go.txt).
		{"ld/lib.go",
			"\tvar argv []string\n\targv = append(argv, ctxt.extld()...)\n",
			"\tif ctxt.writePlugin() {\n\t\treturn\n\t}\n\tvar argv []string\n\targv = append(argv, ctxt.extld()...)\n"},
		// The run time calls functions what Go does (link/names.go.txt).
		{"ld/pcln.go",
			"\t\t\tsymtab.AddCStringAt(int64(off), ctxt.loader.SymName(s))\n",
			"\t\t\tsymtab.AddCStringAt(int64(off), shownName(ctxt.loader.SymName(s)))\n"},
		{"ld/pcln.go",
			"\t\tsize += int64(len(ctxt.loader.SymName(s)) + 1)",
			"\t\tsize += int64(len(shownName(ctxt.loader.SymName(s))) + 1)"},
		// An instance of a generic function that the program has, and a cell inlines, is the program's,
		// without a description. That only says of what kind of function a frame is, and where it begins.
		{"ld/pcln.go",
			"\t\t} else if !ctxt.linkShared {\n",
			"\t\t} else if !ctxt.linkShared && imports == nil {\n"},
		// A cell that registers types with gob refers to what gob has registered.
		{"loader/loader.go",
			"\tif l.flags&FlagCheckLinkname == 0 {\n",
			"\tif l.flags&FlagCheckLinkname == 0 || name == \"encoding/gob.nameToConcreteType\" {\n"},
		// The descriptions of imported types are still in the archives.
		{"ld/decodesym.go",
			"\tif ctxt.loader.SymType(s) == sym.SDYNIMPORT {",
			"\tif ctxt.loader.SymType(s) == sym.SDYNIMPORT && imports == nil {"},
		{"ld/decodesym.go",
			"\tif ldr.SymType(s) == sym.SDYNIMPORT {",
			"\tif ldr.SymType(s) == sym.SDYNIMPORT && imports == nil {"},
	}}
