package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// An initialization describes the values that are computed before the rest of a cell runs.
type initialization struct {
	k      *Checked
	bodies map[*types.Func]*ast.BlockStmt // of the cell's functions and methods
}

func (k *Checked) initialization() *initialization {
	in := &initialization{k, map[*types.Func]*ast.BlockStmt{}}
	for _, f := range k.Funcs {
		if f.Object != nil && f.Body != nil && f.Again == nil {
			in.bodies[f.Object] = f.Body.Body
		}
	}
	return in
}

// declared returns the declarations of a run by what they declare.
func (in *initialization) declared(run []*ast.ValueSpec) map[types.Object]*ast.ValueSpec {
	declared := map[types.Object]*ast.ValueSpec{}
	for _, v := range run {
		for _, id := range v.Names {
			if local := in.k.Info.Defs[id]; local != nil {
				declared[local] = v
				declared[in.k.Pkg.Scope().Lookup(id.Name)] = v // as seen by functions
			}
		}
	}
	return declared
}

// mentioned returns the objects that the values of a declaration, or the body of a function,
// mention.
func (in *initialization) mentioned(nodes ...ast.Node) (objects []types.Object) {
	for _, n := range nodes {
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				obj := in.k.Info.Uses[id]
				if f, ok := obj.(*types.Func); ok {
					obj = f.Origin()
				}
				if obj != nil {
					objects = append(objects, obj)
				}
			}
			return true
		})
	}
	return objects
}

func values(v *ast.ValueSpec) (nodes []ast.Node) {
	for _, e := range v.Values {
		nodes = append(nodes, e)
	}
	return nodes
}

// refuseCycles reports variables whose values depend on themselves. A variable that is declared
// again already has a value, from an earlier cell.
func (in *initialization) refuseCycles(live map[string]*state.Declaration, complain func(token.Pos, string)) {
	for _, run := range syntax.VariableRuns(in.k.Body) {
		declared := in.declared(run)
		maps.DeleteFunc(declared, func(obj types.Object, _ *ast.ValueSpec) bool { return obj == nil || live[obj.Name()] != nil })
		for _, v := range run {
			if path := in.cycle(v, declared); path != nil {
				complain(v.Names[0].Pos(), cycleWording(path))
				break // the others of the cycle would say the same
			}
		}
	}
}

// ahead resolves undefined names to variables declared further down in the same run of
// declarations, which happens only in cycles. It returns the other failures.
func (in *initialization) ahead(failures []failure) (others []failure) {
	for _, f := range failures {
		path := in.k.pathTo(f.pos)
		obj := in.further(path)
		if obj == nil || !strings.HasPrefix(f.Msg, "undefined: ") {
			others = append(others, f)
			continue
		}
		in.k.Info.Uses[path[len(path)-1].(*ast.Ident)] = obj
	}
	return others
}

// further returns the variable that the name at the end of a path means in the run of declarations
// around it, or nil.
func (in *initialization) further(path []ast.Node) types.Object {
	for _, run := range syntax.VariableRuns(in.k.Body) {
		if !slices.ContainsFunc(run, func(v *ast.ValueSpec) bool { return slices.Contains(path, ast.Node(v)) }) {
			continue
		}
		for obj := range in.declared(run) {
			if id, ok := path[len(path)-1].(*ast.Ident); ok && obj != nil && obj.Name() == id.Name {
				return obj
			}
		}
	}
	return nil
}

// cycle returns the names on the way from a declaration back to itself, or nil.
func (in *initialization) cycle(v *ast.ValueSpec, declared map[types.Object]*ast.ValueSpec) (path []string) {
	seen := map[types.Object]bool{}
	var find func(nodes []ast.Node) []string
	find = func(nodes []ast.Node) []string {
		for _, obj := range in.mentioned(nodes...) {
			if declared[obj] == v {
				return []string{obj.Name()}
			}
			if seen[obj] {
				continue
			}
			seen[obj] = true
			var next []ast.Node
			if other := declared[obj]; other != nil {
				next = values(other)
			} else if f, ok := obj.(*types.Func); ok && in.bodies[f] != nil {
				next = []ast.Node{in.bodies[f]}
			}
			if rest := find(next); rest != nil {
				return append([]string{obj.Name()}, rest...)
			}
		}
		return nil
	}
	return find(values(v))
}

// cycleWording words the way from a variable, the last of the path, back to itself.
func cycleWording(path []string) string {
	from := path[len(path)-1]
	if len(path) == 1 {
		return "initialization cycle: " + from + " refers to itself"
	}
	text := "initialization cycle: "
	for i, to := range path {
		if i > 0 {
			text += ", "
		}
		text += from + " refers to " + to
		from = to
	}
	return text
}

// sortVariables sorts consecutive declarations of variables at the cell's top into Go's order of
// initialization for packages. The parser has sorted them by names, so that each is declared before
// it is mentioned. The types show what a name means, and thus which variables a value really needs.
func (in *initialization) sortVariables() {
	k := in.k
	k.Body = syntax.SortVariables(k.Body, func(run []*ast.ValueSpec) func(*ast.ValueSpec) []*ast.ValueSpec {
		declared := in.declared(run)
		return func(v *ast.ValueSpec) (needs []*ast.ValueSpec) {
			seen := map[types.Object]bool{}
			var visit func(nodes []ast.Node)
			visit = func(nodes []ast.Node) {
				for _, obj := range in.mentioned(nodes...) {
					if seen[obj] {
						continue
					}
					seen[obj] = true
					if other := declared[obj]; other != nil {
						needs = append(needs, other)
					}
					if f, ok := obj.(*types.Func); ok && in.bodies[f] != nil {
						visit([]ast.Node{in.bodies[f]})
					}
				}
			}
			visit(values(v))
			return needs
		}
	})
	k.eachDeclared(func(local *types.Var, statement int) {
		i := slices.IndexFunc(k.Variables, func(v *TopVariable) bool { return v.Local == local })
		k.Variables[i].Statement = statement
	})
}
