package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"regexp"
	"slices"

	"github.com/hierml/notebook/kernel/internal/state"
)

// addMethod gives a type of an earlier cell a method. Rollback undoes it. An instance of a generic
// type keeps the methods that it has looked up once, so addMethod renews all instances that the
// session knows.
func (c *Checker) addMethod(k *Checked, named *types.Named, method *types.Func) {
	var instances []*types.Named
	if named.TypeParams().Len() > 0 {
		instances = c.instancesOf(k, named)
	}
	restore := snapshot(named)
	k.undo = append(k.undo, func() {
		restore()
		renewInstances(named, instances)
	})
	named.AddMethod(method)
	renewInstances(named, instances)
}

// constraints reports instances in declarations whose arguments do not satisfy the constraints.
// Arguments may satisfy them only through methods that types of earlier cells got after the
// declarations were checked.
func (k *Checked) constraints(complain func(token.Pos, string)) {
	for id, instance := range k.Info.Instances {
		if _, err := types.Instantiate(nil, k.Info.Uses[id].Type(), slices.Collect(instance.TypeArgs.Types()), true); err != nil {
			complain(id.Pos(), sessionQualifier.ReplaceAllString(err.Error(), ""))
		}
	}
}

// sessionQualifier is the qualifier that go/types writes before names of the session outside any
// package.
var sessionQualifier = regexp.MustCompile(`\b` + regexp.QuoteMeta(state.PackagePath) + `\.`)

// snapshot returns a function that removes methods added to a type since, for which go/types has no
// call.
func snapshot(named *types.Named) func() {
	live := reflect.ValueOf(named).Elem()
	copied := reflect.New(live.Type()).Elem()
	copied.Set(live)
	return func() { live.Set(copied) }
}

// renewInstances makes instances of a generic type equal to new ones.
func renewInstances(generic *types.Named, instances []*types.Named) {
	for _, t := range instances {
		fresh, err := types.Instantiate(types.NewContext(), generic, slices.Collect(t.TypeArgs().Types()), false)
		if err != nil {
			panic(err) // there is one with these arguments
		}
		reflect.ValueOf(t).Elem().Set(reflect.ValueOf(fresh).Elem())
	}
}

// instancesOf returns the instances of a generic type that the session and the cell know.
func (c *Checker) instancesOf(k *Checked, generic *types.Named) []*types.Named {
	f := instanceFinder{generic: generic, seen: map[types.Type]bool{}}
	for obj := range c.Session.ByObject {
		f.visit(obj.Type())
	}
	for _, shown := range c.Transcript.Shown {
		for _, t := range shown.Types {
			f.visit(t)
		}
	}
	c.Session.NumberedTypes(func(t types.Type, _ int) { f.visit(t) })
	infos := map[*types.Info]bool{k.Info: true}
	for _, fn := range c.Session.All {
		infos[fn.Info] = true
	}
	for _, d := range c.Session.ByObject {
		if d.Spec != nil && d.Spec.Info != nil {
			infos[d.Spec.Info] = true
		}
	}
	for info := range infos {
		f.info(info)
	}
	return f.found
}

// An instanceFinder looks through types for instances of a generic one.
type instanceFinder struct {
	generic *types.Named
	seen    map[types.Type]bool
	found   []*types.Named
}

func (f *instanceFinder) info(info *types.Info) {
	for _, x := range info.Types {
		f.visit(x.Type)
	}
	for _, i := range info.Instances {
		f.visit(i.Type)
	}
	for _, objects := range []map[*ast.Ident]types.Object{info.Defs, info.Uses} {
		for _, obj := range objects {
			if obj != nil {
				f.visit(obj.Type())
			}
		}
	}
	for _, s := range info.Selections {
		f.visit(s.Recv())
		f.visit(s.Type())
	}
}

func (f *instanceFinder) visit(t types.Type) {
	if t == nil || f.seen[t] {
		return
	}
	f.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		f.visit(types.Unalias(t))
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			f.visit(arg)
		}
		if t.Origin() == f.generic && t != f.generic {
			f.found = append(f.found, t)
		}
		if state.IsSession(t.Obj()) {
			f.visit(t.Underlying())
		}
	case *types.TypeParam:
		f.visit(t.Constraint())
	case *types.Map:
		f.visit(t.Key())
		f.visit(t.Elem())
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		f.visit(t.Elem())
	case *types.Struct:
		for v := range t.Fields() {
			f.visit(v.Type())
		}
	case *types.Tuple:
		for v := range t.Variables() {
			f.visit(v.Type())
		}
	case *types.Signature:
		if t.Recv() != nil {
			f.visit(t.Recv().Type())
		}
		f.visit(t.Params())
		f.visit(t.Results())
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			f.visit(m.Type())
		}
		for e := range t.EmbeddedTypes() {
			f.visit(e)
		}
	case *types.Union:
		for term := range t.Terms() {
			f.visit(term.Type())
		}
	}
}
