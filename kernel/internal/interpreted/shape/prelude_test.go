package shape_test

import (
	"go/types"
	"testing"

	"github.com/hierml/notebook/kernel/internal/change"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
	"github.com/hierml/notebook/stdlib"
)

// TestStandIns holds that each generic function and type of the packages that cells may import has
// a stand-in of the same signature and methods, is an iterator, or is refused with a sentence.
func TestStandIns(t *testing.T) {
	checker := enginetest.NewSession().Checker
	shapes := shape.NewShapes(change.New(checker, nil), shape.NewPreludes(checker), shape.NewSent())
	found := 0
	for _, path := range stdlib.Paths() {
		pkg, err := stdlib.Importer.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range pkg.Scope().Names() {
			obj := pkg.Scope().Lookup(name)
			if !obj.Exported() || !isGeneric(obj) {
				continue
			}
			found++
			if _, ok := obj.Type().Underlying().(*types.Signature); ok && isType(obj) {
				continue // an iterator, which is its function
			}
			standIn, reason := standInFor(shapes, obj)
			switch {
			case (standIn == nil) == (reason == ""):
				t.Errorf("%s.%s: stand-in %v, refusal %q", path, name, standIn, reason)
			case standIn != nil && isType(obj):
				methods(t, obj.Type().(*types.Named), standIn.Type().(*types.Named))
			case standIn != nil && !sameShape(obj.Type().(*types.Signature), standIn.Type().(*types.Signature)):
				t.Errorf("%v\nhas another type than its stand-in,\n%v", obj, standIn)
			}
		}
	}
	if found < 60 {
		t.Errorf("%d generic functions and types in all packages", found)
	}
}

// standInFor returns what stands in for a generic function or type of a compiled package, or why
// nothing does.
func standInFor(shapes *shape.Shapes, obj types.Object) (types.Object, string) {
	p := shapes.PreludeOf(obj.Pkg())
	if fn := p.Funcs[obj.Name()]; fn != nil {
		return fn.Info.Defs[fn.Decl.Name], ""
	}
	if named := p.Types[obj.Name()]; named != nil {
		return named.Obj(), ""
	}
	return nil, shape.NoStandIn[obj.Pkg().Path()+"."+obj.Name()]
}

func isType(obj types.Object) bool { _, ok := obj.(*types.TypeName); return ok }

func isGeneric(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Func:
		return obj.Signature().TypeParams().Len() > 0
	case *types.TypeName:
		switch t := obj.Type().(type) {
		case *types.Named:
			return t.TypeParams().Len() > 0
		case *types.Alias:
			return t.TypeParams().Len() > 0
		}
	}
	return false
}

// sameShape compares the parameters of signatures, and how many results they have: constraints
// cannot always be named outside of their packages, and results can be stand-ins.
func sameShape(a, b *types.Signature) bool {
	n := a.TypeParams().Len()
	if n != b.TypeParams().Len() {
		return false
	}
	args := make([]types.Type, n)
	for i := range args {
		args[i] = types.NewNamed(types.NewTypeName(0, nil, "A", nil), types.Typ[types.Int], nil)
	}
	x, errA := types.Instantiate(nil, a, args, false)
	y, errB := types.Instantiate(nil, b, args, false)
	if errA != nil || errB != nil {
		return false
	}
	p, q := x.(*types.Signature), y.(*types.Signature)
	return types.Identical(p.Params(), q.Params()) && p.Variadic() == q.Variadic() && p.Results().Len() == q.Results().Len()
}

func methods(t *testing.T, named, standIn *types.Named) {
	for m := range named.Methods() {
		found := false
		for n := range standIn.Methods() {
			found = found || n.Name() == m.Name() && n.Signature().Params().Len() == m.Signature().Params().Len()
		}
		if m.Exported() && !found {
			t.Errorf("the stand-in for %v has no method %s", named, m.Name())
		}
	}
}
