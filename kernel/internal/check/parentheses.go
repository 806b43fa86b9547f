package check

import (
	"fmt"
	"go/ast"
	"go/token"

	"github.com/hierml/notebook/kernel/internal/syntax"
)

// Parenthesize puts parentheses around the names of types of earlier cells in type declarations:
// type A (B). For a bare B, go/types looks for the declaration of B in the same files, to find
// cycles, and fails if there is none.
func Parenthesize(specs []*ast.TypeSpec) {
	own := map[string]bool{}
	for _, spec := range specs {
		own[spec.Name.Name] = true
	}
	for _, spec := range specs {
		if id, ok := spec.Type.(*ast.Ident); ok && !own[id.Name] {
			spec.Type = &ast.ParenExpr{Lparen: id.Pos(), X: id, Rparen: id.End() - 1}
		}
	}
}

// refuseForeign reports methods of types from elsewhere, unless the engine makes functions of them.
// It does so if the receiver has the name under which an earlier cell declared the type. On the
// others go/types fails as it does on bare names.
func (c *Checker) refuseForeign(k *Checked, complain func(token.Pos, string)) {
	file := k.Parsed.Declarations
	if file == nil {
		return
	}
	for _, decl := range file.Decls {
		base := ForeignMethod(file, decl)
		if base == nil || k.Pkg.Scope().Lookup(base.Name) == nil {
			continue // go/types reports what is wrong with it, if anything
		}
		f := decl.(*ast.FuncDecl)
		switch live := c.Session.Live[base.Name]; {
		case c.onlyPackage(k, base.Name):
			complain(base.Pos(), base.Name+" (package name) is not a type")
		case len(f.Recv.List) > 1:
			complain(f.Recv.List[1].Pos(), "method has multiple receivers")
		case live != nil && live.Spec != nil:
			complain(f.Recv.Pos(), fmt.Sprintf("method %s: its receiver is an alias of %[2]s, which cell %[3]d declares: write %[2]s", f.Name.Name, base.Name, live.Cell))
		default:
			complain(f.Recv.Pos(), "cannot define new methods on non-local type "+base.Name)
		}
	}
}

// ForeignMethod returns the name of the type whose method a declaration is, if the file does not
// declare the type itself; nil if it does.
func ForeignMethod(file *ast.File, decl ast.Decl) *ast.Ident {
	f, ok := decl.(*ast.FuncDecl)
	if !ok || f.Recv.NumFields() == 0 {
		return nil
	}
	typ := f.Recv.List[0].Type
	for seen := map[string]bool{}; ; {
		base := syntax.ReceiverBase(&ast.FuncDecl{Recv: &ast.FieldList{List: []*ast.Field{{Type: typ}}}})
		if base == nil || seen[base.Name] {
			return nil
		}
		seen[base.Name] = true
		obj := file.Scope.Lookup(base.Name)
		if obj == nil {
			return base
		}
		spec, ok := obj.Decl.(*ast.TypeSpec)
		if !ok || !spec.Assign.IsValid() {
			return nil
		}
		typ = spec.Type
	}
}
