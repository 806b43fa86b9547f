package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/hierml/notebook/kernel/internal/state"
)

// unchangedTypes returns the names of types that the cell declares again unchanged: the same text,
// in which each name means the same. They stay the same types, so that running a cell again does
// not separate its types from existing variables.
func (c *Checker) unchangedTypes(k *Checked, file *ast.File, declared map[string]bool) map[string]bool {
	same := map[string]bool{}
	specs := map[string]*ast.TypeSpec{}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, s := range g.Specs {
			spec := s.(*ast.TypeSpec)
			name := spec.Name.Name
			live := c.Session.Live[name]
			if live == nil || live.Spec == nil || specs[name] != nil || k.renewed[name] {
				continue
			}
			if live.Spec.Text == c.Text(spec) {
				same[name] = true
				specs[name] = spec
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for name := range same {
			for used, obj := range c.Session.Live[name].Spec.Uses {
				if declared[used] && !same[used] || !c.stillMeans(k, used, obj) {
					delete(same, name)
					changed = true
					break
				}
			}
		}
	}
	return same
}

// stillMeans reports whether a name that meant an object in an earlier cell still means it in a
// cell.
func (c *Checker) stillMeans(k *Checked, name string, obj types.Object) bool {
	if i := slices.IndexFunc(k.Imported, func(p *types.PkgName) bool { return p.Name() == name }); i >= 0 {
		return sameObject(k.Imported[i], obj)
	}
	if now := c.Session.Live[name]; now != nil {
		return sameObject(now.Object, obj)
	}
	if p, ok := obj.(*types.PkgName); ok {
		return c.Preloaded[name] == p.Imported().Path()
	}
	return !state.IsSession(obj)
}
