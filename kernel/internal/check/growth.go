package check

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// Few lines can declare what has no end: constants that double the one before, types that hold the
// one before twice. go/types computes the constants and walks the types, in the process of the
// kernel and deaf to interrupts, so what they come to is estimated from their syntax before.

// maxParts bounds how many named types a type is made of, each counted as often as it is met, and
// maxDepth how deep they stand in each other. maxText bounds the bytes of a constant string, and
// maxTexts those of all that a cell computes.
const (
	maxParts = 20_000
	maxDepth = 300
	maxText  = 16 << 20
	maxTexts = 128 << 20
)

// RefuseGrowth complains of types and constants of a cell that take too long to look at. It reports
// whether there are any.
func (c *Checker) RefuseGrowth(k *Checked, complain func(token.Pos, string)) bool {
	g := &growth{
		scope: k.Pkg.Scope(),
		pkg:   k.Pkg,
		specs: map[string]*ast.TypeSpec{}, texts: map[string][]ast.Expr{},
		written: map[writtenType]extent{}, known: map[knownType]extent{}, bytes: map[string]float64{}, joined: map[*ast.BinaryExpr]float64{},
	}
	var files []*ast.File
	for _, f := range []*ast.File{k.Parsed.Declarations, k.Statements} {
		if f != nil {
			files = append(files, f)
			g.collect(f)
		}
	}
	refused := false
	refuse := func(pos token.Pos, msg string) {
		complain(pos, msg)
		refused = true
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if refused {
				return false
			}
			switch n := n.(type) {
			case *ast.TypeSpec:
				switch e := g.declared(n, true, 0); {
				case e.depth > maxDepth:
					refuse(n.Name.Pos(), fmt.Sprintf("the types that %s is made of stand in each other more than %d deep: to check such a type takes too long; make one of them a pointer", n.Name.Name, maxDepth))
				case e.parts > maxParts:
					refuse(n.Name.Pos(), fmt.Sprintf("%s is made of more than %d types, counted as often as they occur in it: to check such a type takes too long", n.Name.Name, maxParts))
				}
			case *ast.BinaryExpr:
				size := g.text(n)
				g.total += size
				switch {
				case size > maxText:
					refuse(n.Pos(), fmt.Sprintf("a constant string of more than %d MiB: make it a variable, whose value is computed when the cell runs", maxText>>20))
				case g.total > maxTexts:
					refuse(n.Pos(), fmt.Sprintf("the constant strings of this cell have more than %d MiB together: make them variables, whose values are computed when the cell runs", maxTexts>>20))
				}
				return !g.adds(n)
			}
			return true
		})
	}
	if !refused {
		g.refuseInferred(k.Statements, k.Parsed.Declarations, refuse)
	}
	return refused
}

// A growth estimates what the declarations of a cell come to. Names are those of the whole cell:
// what stands in a function counts as if it stood at the top.
type growth struct {
	scope   *types.Scope
	pkg     *types.Package
	specs   map[string]*ast.TypeSpec
	texts   map[string][]ast.Expr // the values of constants
	written map[writtenType]extent
	known   map[knownType]extent
	bytes   map[string]float64
	joined  map[*ast.BinaryExpr]float64
	total   float64
}

// An extent is what a type comes to.
type extent struct {
	parts float64
	depth int
}

func (e extent) and(other extent) extent {
	return extent{e.parts + other.parts, max(e.depth, other.depth)}
}

// A writtenType is a type of the cell, and a knownType one of the session: in place, or behind a
// pointer, where a declared type is no more than its name.
type (
	writtenType struct {
		spec    *ast.TypeSpec
		inPlace bool
	}
	knownType struct {
		typ     types.Type
		inPlace bool
	}
)

// tooDeepType is more than any type may be.
var tooDeepType = extent{0, maxDepth + 1}

// collect notes what a file declares.
func (g *growth) collect(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		d, ok := n.(*ast.GenDecl)
		if !ok {
			return true
		}
		var repeated []ast.Expr
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				g.specs[spec.Name.Name] = spec
			case *ast.ValueSpec:
				if d.Tok != token.CONST {
					continue
				}
				if spec.Values != nil {
					repeated = spec.Values
				}
				for i, id := range spec.Names {
					if i < len(repeated) {
						g.texts[id.Name] = append(g.texts[id.Name], repeated[i])
					}
				}
			}
		}
		return true
	})
}

// declared returns the extent of a type of the cell.
func (g *growth) declared(spec *ast.TypeSpec, inPlace bool, level int) extent {
	if level > maxDepth {
		return tooDeepType
	}
	generic := spec.TypeParams != nil
	if !inPlace && !generic && !spec.Assign.IsValid() {
		return extent{1, 1}
	}
	key := writtenType{spec, inPlace || generic}
	if e, ok := g.written[key]; ok {
		return e
	}
	g.written[key] = extent{1, 1} // in itself
	e := g.expression(spec.Type, key.inPlace, level+1)
	e = extent{e.parts + 1, e.depth + 1}
	g.written[key] = e
	return e
}

// expression returns the extent of a type as it is written.
func (g *growth) expression(x ast.Expr, inPlace bool, level int) (sum extent) {
	list := func(fields *ast.FieldList, inPlace bool) {
		if fields == nil {
			return
		}
		for _, f := range fields.List {
			e := g.expression(f.Type, inPlace, level)
			e.parts *= float64(max(1, len(f.Names)))
			sum = sum.and(e)
		}
	}
	switch x := x.(type) {
	case *ast.Ident:
		if spec := g.specs[x.Name]; spec != nil {
			return g.declared(spec, inPlace, level)
		}
		if name, ok := g.scope.Lookup(x.Name).(*types.TypeName); ok {
			return g.typ(name.Type(), inPlace, level)
		}
	case *ast.ParenExpr:
		return g.expression(x.X, inPlace, level)
	case *ast.StarExpr:
		return g.expression(x.X, false, level)
	case *ast.ArrayType:
		return g.expression(x.Elt, inPlace && x.Len != nil, level)
	case *ast.MapType:
		return g.expression(x.Key, false, level).and(g.expression(x.Value, false, level))
	case *ast.ChanType:
		return g.expression(x.Value, false, level)
	case *ast.IndexExpr:
		return g.expression(x.X, inPlace, level).and(g.expression(x.Index, false, level))
	case *ast.IndexListExpr:
		sum = g.expression(x.X, inPlace, level)
		for _, arg := range x.Indices {
			sum = sum.and(g.expression(arg, false, level))
		}
	case *ast.StructType:
		list(x.Fields, inPlace)
	case *ast.InterfaceType:
		list(x.Methods, inPlace)
	case *ast.FuncType:
		list(x.Params, false)
		list(x.Results, false)
	case *ast.BinaryExpr:
		return g.expression(x.X, inPlace, level).and(g.expression(x.Y, inPlace, level))
	case *ast.UnaryExpr:
		return g.expression(x.X, inPlace, level)
	}
	return sum
}

// typ returns the extent of a type of the session. Those of packages are taken for one.
func (g *growth) typ(t types.Type, inPlace bool, level int) (sum extent) {
	if level > maxDepth {
		return tooDeepType
	}
	key := knownType{t, inPlace}
	if e, ok := g.known[key]; ok {
		return e
	}
	g.known[key] = extent{1, 1}
	defer func() { g.known[key] = sum }()
	add := func(t types.Type, inPlace bool) { sum = sum.and(g.typ(t, inPlace, level)) }
	switch t := t.(type) {
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			add(arg, false)
		}
		if t.Obj().Pkg() == g.pkg && (inPlace || t.TypeArgs().Len() > 0) {
			sum = sum.and(g.typ(t.Origin().Underlying(), true, level+1))
		}
		return extent{sum.parts + 1, sum.depth + 1}
	case *types.Alias:
		e := g.typ(t.Rhs(), inPlace, level+1)
		return extent{e.parts + 1, e.depth + 1}
	case *types.Pointer:
		add(t.Elem(), false)
	case *types.Slice:
		add(t.Elem(), false)
	case *types.Chan:
		add(t.Elem(), false)
	case *types.Map:
		add(t.Key(), false)
		add(t.Elem(), false)
	case *types.Array:
		add(t.Elem(), inPlace)
	case *types.Struct:
		for f := range t.Fields() {
			add(f.Type(), inPlace)
		}
	case *types.Interface:
		for e := range t.EmbeddedTypes() {
			add(e, inPlace)
		}
	case *types.Signature:
		for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range tuple.Variables() {
				add(v.Type(), false)
			}
		}
	}
	return sum
}

// adds reports whether an expression joins constant strings, as far as they are known to be some.
func (g *growth) adds(x *ast.BinaryExpr) bool { return x.Op == token.ADD && g.text(x) > 0 }

// text returns how many bytes an expression has, if it is a constant string, and 0 otherwise.
func (g *growth) text(x ast.Expr) float64 {
	switch x := x.(type) {
	case *ast.BasicLit:
		if x.Kind == token.STRING {
			return float64(len(x.Value))
		}
	case *ast.ParenExpr:
		return g.text(x.X)
	case *ast.BinaryExpr:
		if x.Op == token.ADD {
			size, ok := g.joined[x]
			if !ok {
				// Only what is constant on both sides is computed here.
				if left, right := g.text(x.X), g.text(x.Y); left > 0 && right > 0 {
					size = left + right
				}
				g.joined[x] = size
			}
			return size
		}
	case *ast.CallExpr:
		if len(x.Args) == 1 && !builtin(x.Fun) {
			return g.text(x.Args[0]) // a conversion
		}
	case *ast.SelectorExpr:
		id, ok := x.X.(*ast.Ident)
		if !ok {
			return 0
		}
		if name, ok := g.scope.Lookup(id.Name).(*types.PkgName); ok {
			return textOf(name.Imported().Scope().Lookup(x.Sel.Name))
		}
	case *ast.Ident:
		values, ok := g.texts[x.Name]
		if !ok {
			return textOf(g.scope.Lookup(x.Name))
		}
		if size, ok := g.bytes[x.Name]; ok {
			return size
		}
		g.bytes[x.Name] = 0
		size := 0.0
		for _, value := range values {
			size = max(size, g.text(value))
		}
		g.bytes[x.Name] = size
		return size
	}
	return 0
}

// builtin reports whether a function that is called gives no string.
func builtin(fun ast.Expr) bool {
	id, ok := fun.(*ast.Ident)
	return ok && (id.Name == "len" || id.Name == "cap")
}

// textOf returns how many bytes a constant has that is a string.
func textOf(obj types.Object) float64 {
	c, ok := obj.(*types.Const)
	if !ok || c.Val().Kind() != constant.String {
		return 0
	}
	return float64(len(constant.StringVal(c.Val())))
}
