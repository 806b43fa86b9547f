package state

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/syntax"
)

// A Wait is a name that a declaration uses and that no cell has declared yet.
type Wait struct {
	// Name is the name; for a method or field it begins with a dot, and Owner is the type that
	// lacks it.
	Name, Owner string
	// Calls says that the declaration calls the name.
	Calls bool
	// Hint is another possible meaning of the name, in parentheses after a blank; empty if no name
	// is near.
	Hint string
	// Function is set if the name is that of a declared function that itself waits.
	Function *Function
}

func (w Wait) String() string {
	if w.Function != nil {
		return w.Function.Name
	}
	return w.Owner + w.Name
}

// Waits are the names that a declaration waits for.
type Waits []Wait

// Add adds a name unless it is already there.
func (w Waits) Add(more Wait) Waits {
	for i := range w {
		if w[i].Name == more.Name && w[i].Owner == more.Owner {
			w[i].Calls = w[i].Calls && more.Calls
			return w
		}
	}
	return append(w, more)
}

// Within reports whether others has all the names.
func (w Waits) Within(others Waits) bool {
	return !slices.ContainsFunc(w, func(x Wait) bool {
		return !slices.ContainsFunc(others, func(y Wait) bool { return x.Name == y.Name && x.Owner == y.Owner })
	})
}

// For reports whether a name that a cell declares may end the wait.
func (w Waits) For(declared map[string]bool) bool {
	return slices.ContainsFunc(w, func(x Wait) bool { return declared[x.Name] || x.Owner != "" && declared[x.Owner] })
}

// String says what the declaration does with the names: "calls a and b".
func (w Waits) String() string {
	verb := "calls "
	list := make([]string, len(w))
	for i, x := range w {
		list[i] = x.String() + x.Hint
		if !x.Calls {
			verb = "uses "
		}
	}
	if len(list) > 1 {
		list = append(list[:len(list)-2], list[len(list)-2]+" and "+list[len(list)-1])
	}
	return verb + strings.Join(list, ", ")
}

// Undeclared is String with a note on what these names wait for.
func (w Waits) Undeclared() string {
	if fn := w[0].Function; fn != nil {
		for _, x := range fn.Pending {
			return w[:1].String() + ", which waits for " + x.String()
		}
	}
	return w.String() + ", which no cell has declared yet"
}

// A Deferred is a declaration that itself uses names that no cell has declared yet: the signature
// of a function, a type, or a group of constants. The session does not know it until it compiles.
type Deferred struct {
	Decl  ast.Decl // a function, or a GenDecl with one type or with constants
	Cell  int
	Waits Waits
	// Fault says why the declaration does not compile although the names that it waited for exist.
	Fault string
}

// Name is the name of the declaration in messages.
func (d *Deferred) Name() string { return DeclaredBy(d.Decl)[0] }

// Why says why the declaration is missing.
func (d *Deferred) Why() string {
	if d.Fault != "" {
		return d.Name() + " does not compile: " + d.Fault
	}
	return d.Name() + " " + d.Waits.Undeclared()
}

// DeclaredBy returns the names that a declaration declares: those of methods are "T.m". Blank ones
// of constants are left out.
func DeclaredBy(decl ast.Decl) (names []string) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{d.Name.Name}
		}
		if base := syntax.ReceiverBase(d); base != nil {
			return []string{base.Name + "." + d.Name.Name}
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name.Name)
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					if id.Name != "_" {
						names = append(names, id.Name)
					}
				}
			}
		}
	}
	return names
}

// Ends adds to a set the names for which declarations stop waiting: those of methods begin with a
// dot.
func Ends(decl ast.Decl, names map[string]bool) {
	for _, name := range DeclaredBy(decl) {
		names[ended(name)] = true
	}
}

func ended(name string) string { return name[max(0, strings.IndexByte(name, '.')):] }

// WaitFor is the wait for a declared function that itself waits.
func WaitFor(fn *Function, calls bool) Wait {
	return Wait{Name: ended(DeclaredBy(fn.Written)[0]), Calls: calls, Function: fn}
}

// DeferredOf returns the deferred declaration of a name, or nil.
func (s *Session) DeferredOf(name string) *Deferred {
	for _, d := range s.Deferred {
		if slices.Contains(DeclaredBy(d.Decl), name) {
			return d
		}
	}
	return nil
}

// WaitingFor returns the pending functions and the deferred declarations that wait for one of some
// names, or for one of the returned declarations. It adds the names of these. It leaves out those
// that the cell declares itself.
func (s *Session) WaitingFor(names map[string]bool, declares func(name string) bool) (functions []*Follower, deferred []*Deferred) {
	taken := map[any]bool{}
	for more := true; more; {
		more = false
		for _, fn := range s.All {
			if len(fn.Pending) > 0 && !taken[fn] && fn.Pending.For(names) && s.Current(fn) && !declares(DeclaredBy(fn.Written)[0]) {
				taken[fn], more = true, true
				Ends(fn.Written, names)
				functions = append(functions, &Follower{Fn: fn})
			}
		}
		for _, d := range s.Deferred {
			if !taken[d] && d.Waits.For(names) && !slices.ContainsFunc(DeclaredBy(d.Decl), declares) {
				taken[d], more = true, true
				Ends(d.Decl, names)
				deferred = append(deferred, d)
			}
		}
	}
	return functions, deferred
}
