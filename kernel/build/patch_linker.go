package build

import _ "embed"

//go:embed link/imports.go.txt
var linkerImports string

// linker is the linker of plugins: what the program has is imported and not
// linked again (link/imports.go.txt). Go's linker brings along all that a plugin
// reaches, which for a plot is 16 MB, and takes time, in each plugin.
var linker = tool{name: "link", description: "linker",
	added: map[string]string{"ld/imports.go": linkerImports},
	replacements: []replacement{
		{"ld/main.go",
			"\tctxt.loadlib()\n",
			"\tloadHost()\n\tctxt.loadlib()\n"},
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
		// Methods of an imported type are kept by the tables of the interfaces
		// that it has in the plugin, not by the type.
		{"ld/deadcode.go",
			"if d.ctxt.linkShared && d.ldr.IsItab(symIdx) {",
			"if (d.ctxt.linkShared || imports != nil) && d.ldr.IsItab(symIdx) {"},
		// The descriptions of imported types are still in the archives.
		{"ld/decodesym.go",
			"\tif ctxt.loader.SymType(s) == sym.SDYNIMPORT {",
			"\tif ctxt.loader.SymType(s) == sym.SDYNIMPORT && imports == nil {"},
		{"ld/decodesym.go",
			"\tif ldr.SymType(s) == sym.SDYNIMPORT {",
			"\tif ldr.SymType(s) == sym.SDYNIMPORT && imports == nil {"},
	}}
