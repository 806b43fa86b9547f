package engine

import (
	"go/ast"
	"go/token"
)

// unchangedTypes returns the names of types that the cell declares exactly as
// they are: the same text, and every name in it meaning what it meant. They
// stay the types they are, so that running a cell again does not part its
// types from the variables that have them.
func (c *checker) unchangedTypes(k *checked, file *ast.File, declared map[string]bool) map[string]bool {
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
			live := c.session.live[name]
			if live == nil || live.spec == nil || specs[name] != nil || spec.TypeParams != nil || k.renewed[name] {
				continue
			}
			if live.spec.text == c.text(spec) {
				same[name] = true
				specs[name] = spec
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for name := range same {
			for used, obj := range c.session.live[name].spec.uses {
				now := c.session.live[used]
				if declared[used] && !same[used] || now == nil && isSession(obj) || now != nil && !sameObject(now.object, obj) {
					delete(same, name)
					changed = true
					break
				}
			}
		}
	}
	return same
}

// text returns the source of a node, which tells whether it is the same.
func (c *files) text(n ast.Node) string {
	file := c.fset.File(n.Pos())
	src := c.sources[file]
	if src == nil {
		return ""
	}
	start := clamp(file.Offset(n.Pos())-prefixLength, src.text)
	return src.text[start:min(start+int(n.End()-n.Pos()), len(src.text))]
}
