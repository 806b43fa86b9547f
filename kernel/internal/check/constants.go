package check

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// A few lines can declare constant strings that each double the one before. go/types computes them
// in the process of the kernel, at once and with any amount of memory, so an interrupt would come
// too late. Their lengths are therefore estimated from the syntax first.

// maxText bounds the bytes of a constant string, and maxTexts the total of a cell.
const (
	maxText  = 16 << 20
	maxTexts = 128 << 20
)

// RefuseLongConstants reports the first constant string of a cell that is too long, and whether
// there is one.
func (c *Checker) RefuseLongConstants(k *Checked, complain func(token.Pos, string)) bool {
	s := &constantStrings{scope: k.Pkg.Scope(), values: map[string][]ast.Expr{}, bytes: map[string]float64{}, joined: map[*ast.BinaryExpr]float64{}}
	var files []*ast.File
	for _, f := range []*ast.File{k.Parsed.Declarations, k.Statements} {
		if f != nil {
			files = append(files, f)
			s.collect(f)
		}
	}
	refused := false
	refuse := func(pos token.Pos, msg string) {
		complain(pos, msg)
		refused = true
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			x, ok := n.(*ast.BinaryExpr)
			if !ok || refused {
				return !refused
			}
			size := s.text(x)
			s.total += size
			switch {
			case size > maxText:
				refuse(x.Pos(), fmt.Sprintf("a constant string of more than %d MiB: make it a variable, whose value is computed when the cell runs", maxText>>20))
			case s.total > maxTexts:
				refuse(x.Pos(), fmt.Sprintf("the constant strings of this cell have more than %d MiB together: make them variables, whose values are computed when the cell runs", maxTexts>>20))
			}
			return !s.adds(x)
		})
	}
	return refused
}

// constantStrings estimates the lengths of the constant strings of a cell. Names are shared by the
// whole cell: a constant of a function counts like one at the top.
type constantStrings struct {
	scope  *types.Scope
	values map[string][]ast.Expr
	bytes  map[string]float64 // of the longest constant of a name
	joined map[*ast.BinaryExpr]float64
	total  float64
}

// collect records the constants that a file declares.
func (s *constantStrings) collect(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		d, ok := n.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST {
			return true
		}
		var repeated []ast.Expr
		for _, spec := range d.Specs {
			spec := spec.(*ast.ValueSpec)
			if spec.Values != nil {
				repeated = spec.Values
			}
			for i, id := range spec.Names {
				if i < len(repeated) {
					s.values[id.Name] = append(s.values[id.Name], repeated[i])
				}
			}
		}
		return true
	})
}

// adds reports whether an expression joins constant strings, as far as is known.
func (s *constantStrings) adds(x *ast.BinaryExpr) bool { return x.Op == token.ADD && s.text(x) > 0 }

// text returns the length of an expression in bytes if it is a constant string, and 0 otherwise.
func (s *constantStrings) text(x ast.Expr) float64 {
	switch x := x.(type) {
	case *ast.BasicLit:
		if x.Kind == token.STRING {
			return float64(len(x.Value))
		}
	case *ast.ParenExpr:
		return s.text(x.X)
	case *ast.BinaryExpr:
		if x.Op == token.ADD {
			size, ok := s.joined[x]
			if !ok {
				// Only an expression with two constant sides is computed here.
				if left, right := s.text(x.X), s.text(x.Y); left > 0 && right > 0 {
					size = left + right
				}
				s.joined[x] = size
			}
			return size
		}
	case *ast.CallExpr:
		if len(x.Args) == 1 && !builtin(x.Fun) {
			return s.text(x.Args[0]) // a conversion
		}
	case *ast.SelectorExpr:
		id, ok := x.X.(*ast.Ident)
		if !ok {
			return 0
		}
		if name, ok := s.scope.Lookup(id.Name).(*types.PkgName); ok {
			return textOf(name.Imported().Scope().Lookup(x.Sel.Name))
		}
	case *ast.Ident:
		values, ok := s.values[x.Name]
		if !ok {
			return textOf(s.scope.Lookup(x.Name))
		}
		if size, ok := s.bytes[x.Name]; ok {
			return size
		}
		s.bytes[x.Name] = 0
		size := 0.0
		for _, value := range values {
			size = max(size, s.text(value))
		}
		s.bytes[x.Name] = size
		return size
	}
	return 0
}

// builtin reports whether a called function does not return a string.
func builtin(fun ast.Expr) bool {
	id, ok := fun.(*ast.Ident)
	return ok && (id.Name == "len" || id.Name == "cap")
}

// textOf returns the length of a constant string in bytes.
func textOf(obj types.Object) float64 {
	c, ok := obj.(*types.Const)
	if !ok || c.Val().Kind() != constant.String {
		return 0
	}
	return float64(len(constant.StringVal(c.Val())))
}
