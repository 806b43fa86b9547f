package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math"
)

// A generic function that returns its argument twice doubles a type that nobody has written: what is
// inferred for a call is estimated here as growth.go estimates what is written. Each expression is
// given the number of types that its type is made of, each counted as often as it occurs.

// A size is the number of types in a type, in which type parameters are: its own, and how often each
// parameter is in it.
type size struct {
	own float64
	of  map[string]float64
}

// plus returns the size of a type that holds s, and another some times.
func (s size) plus(other size, times float64) size {
	sum := size{s.own + times*other.own, s.of}
	if len(other.of) > 0 {
		sum.of = map[string]float64{}
		for name, n := range s.of {
			sum.of[name] = n
		}
		for name, n := range other.of {
			sum.of[name] += times * n
		}
	}
	return sum
}

// with returns the size when the parameters are types of these sizes, and others of the size rest.
func (s size) with(parameters map[string]float64, rest float64) float64 {
	sum := s.own
	for name, n := range s.of {
		known, ok := parameters[name]
		if !ok {
			known = rest
		}
		sum += n * known
	}
	return sum
}

// single is the size of a type that is no more than its name.
var single = size{own: 1}

// An inference estimates the types of a cell's expressions, in the order in which they are checked.
type inference struct {
	*growth
	functions map[string]*ast.FuncDecl
	methods   map[string][]*ast.FuncDecl
	// knownMethods are those of the session's types, by name; nil before they were asked for.
	knownMethods map[string][]*types.Signature
	bodies       map[*ast.TypeSpec]size
	types        map[types.Type]size
	calls        map[*ast.CallExpr]float64
	// variables are those in scope.
	variables map[string]float64
	scopes    []map[string]hidden
}

// refuseInferred complains of calls whose type takes too long to look at, in the statements of a cell,
// which are checked first, and in its declarations. Either may be nil.
func (g *growth) refuseInferred(statements, declarations *ast.File, refuse func(token.Pos, string)) {
	in := &inference{
		growth: g, functions: map[string]*ast.FuncDecl{}, methods: map[string][]*ast.FuncDecl{},
		bodies: map[*ast.TypeSpec]size{}, types: map[types.Type]size{}, calls: map[*ast.CallExpr]float64{}, variables: map[string]float64{},
	}
	if declarations != nil {
		for _, d := range declarations.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if d.Recv == nil {
					in.functions[d.Name.Name] = d
				} else {
					in.methods[d.Name.Name] = append(in.methods[d.Name.Name], d)
				}
			}
		}
	}
	refused := false
	look := func(root ast.Node) {
		var opened []ast.Node // that are being looked at
		ast.Inspect(root, func(n ast.Node) bool {
			if n == nil {
				if opensScope(opened[len(opened)-1]) {
					in.close()
				}
				opened = opened[:len(opened)-1]
				return true
			}
			if call, ok := n.(*ast.CallExpr); ok && !refused && in.call(call) > maxParts {
				refused = true
				refuse(call.Pos(), fmt.Sprintf("the type of this is made of more than %d types, counted as often as they occur in it: to check such a type takes too long", maxParts))
			}
			if refused {
				return false
			}
			opened = append(opened, n)
			if opensScope(n) {
				in.open()
			}
			in.declare(n)
			return true
		})
	}
	in.open()
	if statements != nil {
		// What they declare at the top is there for functions too.
		for _, d := range statements.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				for _, s := range f.Body.List {
					look(s)
				}
			}
		}
	}
	if declarations != nil {
		for _, d := range declarations.Decls {
			look(d)
		}
	}
}

// opensScope reports whether names that are declared in a node are others than those around it.
func opensScope(n ast.Node) bool {
	switch n.(type) {
	case *ast.FuncDecl, *ast.FuncLit, *ast.BlockStmt, *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// A hidden variable is one that a variable of an inner scope has taken the name of; known says that
// there was one.
type hidden struct {
	size  float64
	known bool
}

func (in *inference) open() { in.scopes = append(in.scopes, map[string]hidden{}) }

func (in *inference) close() {
	last := len(in.scopes) - 1
	for name, outer := range in.scopes[last] {
		if outer.known {
			in.variables[name] = outer.size
		} else {
			delete(in.variables, name)
		}
	}
	in.scopes = in.scopes[:last]
}

// set gives a variable of the innermost scope a size, the largest of those it is given.
func (in *inference) set(name string, size float64) {
	outer, known := in.variables[name]
	scope := in.scopes[len(in.scopes)-1]
	if _, again := scope[name]; again {
		size = max(size, outer)
	} else {
		scope[name] = hidden{outer, known}
	}
	in.variables[name] = size
}

// declare notes the variables that a statement or a function declares.
func (in *inference) declare(n ast.Node) {
	set := func(x ast.Expr, size float64) {
		if id, ok := x.(*ast.Ident); ok {
			in.set(id.Name, size)
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			for i, x := range n.Lhs {
				set(x, in.value(n.Rhs[min(i, len(n.Rhs)-1)]))
			}
		}
	case *ast.ValueSpec:
		for i, id := range n.Names {
			switch {
			case n.Type != nil:
				set(id, in.written(n.Type))
			case len(n.Values) > 0:
				set(id, in.value(n.Values[min(i, len(n.Values)-1)]))
			}
		}
	case *ast.RangeStmt:
		if n.Tok == token.DEFINE {
			size := in.value(n.X)
			set(n.Key, size)
			set(n.Value, size)
		}
	case *ast.TypeSwitchStmt:
		if a, ok := n.Assign.(*ast.AssignStmt); ok {
			for _, clause := range n.Body.List {
				for _, x := range clause.(*ast.CaseClause).List {
					set(a.Lhs[0], in.written(x))
				}
			}
		}
	case *ast.Field:
		for _, id := range n.Names {
			set(id, in.written(n.Type))
		}
	}
}

// written returns the size of a type as it is written.
func (in *inference) written(x ast.Expr) float64 { return in.size(x, nil).with(nil, 1) }

// size returns the size of a type as it is written, among type parameters.
func (in *inference) size(x ast.Expr, parameters map[string]bool) size {
	sum := single
	list := func(fields *ast.FieldList) {
		if fields == nil {
			return
		}
		for _, f := range fields.List {
			sum = sum.plus(in.size(f.Type, parameters), float64(max(1, len(f.Names))))
		}
	}
	add := func(x ast.Expr) size { return sum.plus(in.size(x, parameters), 1) }
	switch x := x.(type) {
	case *ast.Ident:
		if parameters[x.Name] {
			return size{0, map[string]float64{x.Name: 1}}
		}
		return in.named(x, nil)
	case *ast.IndexExpr:
		return in.named(x.X, []size{in.size(x.Index, parameters)})
	case *ast.IndexListExpr:
		arguments := make([]size, len(x.Indices))
		for i, argument := range x.Indices {
			arguments[i] = in.size(argument, parameters)
		}
		return in.named(x.X, arguments)
	case *ast.ParenExpr:
		return in.size(x.X, parameters)
	case *ast.StarExpr:
		return add(x.X)
	case *ast.Ellipsis:
		return add(x.Elt)
	case *ast.ArrayType:
		return add(x.Elt)
	case *ast.ChanType:
		return add(x.Value)
	case *ast.MapType:
		sum = add(x.Key)
		return add(x.Value)
	case *ast.FuncType:
		list(x.Params)
		list(x.Results)
	case *ast.StructType:
		list(x.Fields)
	case *ast.InterfaceType:
		list(x.Methods)
	}
	return sum
}

// named returns the size of a declared type, with what it is made of if that is generic, or only a
// name for something else.
func (in *inference) named(x ast.Expr, arguments []size) size {
	body, names := single, []string(nil)
	if id, ok := x.(*ast.Ident); ok {
		if spec := in.specs[id.Name]; spec != nil {
			body, names = in.body(spec), parameterNames(spec.TypeParams)
		} else if obj, ok := in.scope.Lookup(id.Name).(*types.TypeName); ok {
			body = in.typ(obj.Type())
			if named, ok := obj.Type().(interface{ TypeParams() *types.TypeParamList }); ok {
				for p := range named.TypeParams().TypeParams() {
					names = append(names, p.Obj().Name())
				}
			}
		}
	}
	sum := size{own: body.own}
	for i, argument := range arguments {
		times := 1.0
		if i < len(names) {
			times = max(1, body.of[names[i]])
		}
		sum = sum.plus(argument, times)
	}
	return sum
}

// body returns the size of a type that the cell declares.
func (in *inference) body(spec *ast.TypeSpec) size {
	if spec.TypeParams == nil && !spec.Assign.IsValid() {
		return single
	}
	if s, ok := in.bodies[spec]; ok {
		return s
	}
	in.bodies[spec] = single // in itself
	s := single.plus(in.size(spec.Type, set(parameterNames(spec.TypeParams))), 1)
	in.bodies[spec] = s
	return s
}

// parameterNames returns the names in a list of type parameters.
func parameterNames(list *ast.FieldList) (names []string) {
	if list != nil {
		for _, f := range list.List {
			for _, id := range f.Names {
				names = append(names, id.Name)
			}
		}
	}
	return names
}

func set(names []string) map[string]bool {
	all := map[string]bool{}
	for _, name := range names {
		all[name] = true
	}
	return all
}

// typ returns the size of a type of the session, or of a package, whose own types are taken for one.
func (in *inference) typ(t types.Type) (sum size) {
	if s, ok := in.types[t]; ok {
		return s
	}
	in.types[t] = single // in itself
	defer func() { in.types[t] = sum }()
	sum = single
	add := func(t types.Type) { sum = sum.plus(in.typ(t), 1) }
	switch t := t.(type) {
	case *types.TypeParam:
		return size{0, map[string]float64{t.Obj().Name(): 1}}
	case *types.Alias:
		return in.typ(t.Rhs())
	case *types.Named:
		body := size{}
		if t.Obj().Pkg() == in.pkg && t.TypeParams().Len() > 0 {
			body = in.typ(t.Origin().Underlying())
		}
		if t.TypeArgs() == nil {
			return sum.plus(body, 1)
		}
		sum.own += body.own
		for i := range t.TypeArgs().Len() {
			sum = sum.plus(in.typ(t.TypeArgs().At(i)), max(1, body.of[t.TypeParams().At(i).Obj().Name()]))
		}
	case *types.Pointer:
		add(t.Elem())
	case *types.Slice:
		add(t.Elem())
	case *types.Array:
		add(t.Elem())
	case *types.Chan:
		add(t.Elem())
	case *types.Map:
		add(t.Key())
		add(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			add(f.Type())
		}
	case *types.Tuple:
		for v := range t.Variables() {
			add(v.Type())
		}
	case *types.Signature:
		add(t.Params())
		add(t.Results())
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			add(m.Type())
		}
	}
	return sum
}

// value returns the size of an expression's type; no less, as far as that is known.
func (in *inference) value(x ast.Expr) float64 {
	switch x := x.(type) {
	case *ast.Ident:
		return max(in.variables[x.Name], in.function(x).with(nil, 1))
	case *ast.ParenExpr:
		return in.value(x.X)
	case *ast.StarExpr:
		return in.value(x.X)
	case *ast.UnaryExpr:
		return 1 + in.value(x.X)
	case *ast.BinaryExpr:
		return max(in.value(x.X), in.value(x.Y))
	case *ast.IndexExpr:
		return in.value(x.X) + in.written(x.Index)
	case *ast.SliceExpr:
		return 1 + in.value(x.X)
	case *ast.TypeAssertExpr:
		if x.Type != nil {
			return in.written(x.Type)
		}
		return in.value(x.X)
	case *ast.SelectorExpr:
		if obj := in.imported(x); obj != nil {
			return in.typ(obj.Type()).with(nil, 1)
		}
		return in.value(x.X)
	case *ast.CompositeLit:
		if x.Type != nil {
			return in.written(x.Type)
		}
	case *ast.FuncLit:
		return in.written(x.Type)
	case *ast.CallExpr:
		return in.call(x)
	}
	return 1
}

// function returns the size of what a name stands for that is no variable of the cell.
func (in *inference) function(id *ast.Ident) size {
	if d := in.functions[id.Name]; d != nil {
		return in.size(d.Type, set(parameterNames(d.Type.TypeParams)))
	}
	switch obj := in.scope.Lookup(id.Name).(type) {
	case *types.Var, *types.Func:
		return in.typ(obj.Type())
	}
	return single
}

// imported returns what a selector names of a package, nil if it does not.
func (in *inference) imported(x *ast.SelectorExpr) types.Object {
	if id, ok := x.X.(*ast.Ident); ok {
		if name, ok := in.scope.Lookup(id.Name).(*types.PkgName); ok {
			return name.Imported().Scope().Lookup(x.Sel.Name)
		}
	}
	return nil
}

// call returns the size of what a call returns.
func (in *inference) call(call *ast.CallExpr) float64 {
	result, ok := in.calls[call]
	if !ok {
		result = in.returned(call)
		in.calls[call] = result
	}
	return result
}

func (in *inference) returned(call *ast.CallExpr) float64 {
	fun, given := ast.Unparen(call.Fun), []ast.Expr(nil)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun, given = x.X, []ast.Expr{x.Index}
	case *ast.IndexListExpr:
		fun, given = x.X, x.Indices
	}
	switch x := fun.(type) {
	case *ast.Ident:
		switch obj := in.scope.Lookup(x.Name).(type) {
		case *types.Func:
			if in.functions[x.Name] == nil {
				return in.instance(signatureShape(in, obj.Signature()), given, nil, call.Args)
			}
		case *types.TypeName:
			return in.written(call.Fun)
		}
		if d := in.functions[x.Name]; d != nil {
			return in.instance(declaredShape(in, d), given, nil, call.Args)
		}
		if in.specs[x.Name] != nil {
			return in.written(call.Fun)
		}
		if _, ok := types.Universe.Lookup(x.Name).(*types.Builtin); ok {
			largest := 1.0
			for _, argument := range call.Args {
				largest = max(largest, 1+in.written(argument), 1+in.value(argument))
			}
			return largest
		}
	case *ast.SelectorExpr:
		if obj := in.imported(x); obj != nil {
			if f, ok := obj.(*types.Func); ok {
				return in.instance(signatureShape(in, f.Signature()), given, nil, call.Args)
			}
			return in.typ(obj.Type()).with(nil, 1)
		}
		return in.method(x, call.Args)
	case *ast.FuncLit:
		return in.written(x.Type)
	case *ast.ArrayType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType, *ast.MapType, *ast.StructType, *ast.StarExpr:
		return max(in.written(x), in.value(x)) // a conversion, or a call of what a pointer points to
	}
	return in.value(call.Fun)
}

// method returns the size of what a call of a method returns: of the largest that has its name.
func (in *inference) method(x *ast.SelectorExpr, arguments []ast.Expr) float64 {
	if in.knownMethods == nil {
		in.knownMethods = map[string][]*types.Signature{}
		for _, name := range in.scope.Names() {
			if obj, ok := in.scope.Lookup(name).(*types.TypeName); ok && obj.Pkg() == in.pkg && in.specs[name] == nil {
				if t, ok := obj.Type().(*types.Named); ok {
					for m := range t.Methods() {
						in.knownMethods[m.Name()] = append(in.knownMethods[m.Name()], m.Signature())
					}
				}
			}
		}
	}
	var largest float64
	for _, d := range in.methods[x.Sel.Name] {
		largest = max(largest, in.instance(declaredShape(in, d), nil, x.X, arguments))
	}
	for _, s := range in.knownMethods[x.Sel.Name] {
		largest = max(largest, in.instance(signatureShape(in, s), nil, x.X, arguments))
	}
	if largest == 0 {
		return in.value(x.X) // a method of a package's type, or a field
	}
	return largest
}

// A shape is what inference looks at of a function: the sizes of its receiver, of its parameters and
// of its results, among its type parameters.
type shape struct {
	names      []string
	receiver   *size
	parameters []size
	results    size
	// cores are what type parameters consist of by their constraints, such as []E.
	cores map[string]size
}

// declaredShape returns the shape of a function of the cell.
func declaredShape(in *inference, d *ast.FuncDecl) shape {
	s := shape{names: parameterNames(d.Type.TypeParams), cores: map[string]size{}}
	if d.Recv != nil && len(d.Recv.List) > 0 {
		s.names = receiverParameters(d.Recv.List[0].Type)
	}
	among := set(s.names)
	if d.Recv != nil && len(d.Recv.List) > 0 {
		receiver := in.size(d.Recv.List[0].Type, among)
		s.receiver = &receiver
	}
	if d.Type.TypeParams != nil {
		for _, f := range d.Type.TypeParams.List {
			core := f.Type
			if tilde, ok := core.(*ast.UnaryExpr); ok {
				core = tilde.X
			}
			if c := in.size(core, among); len(c.of) > 0 {
				for _, id := range f.Names {
					s.cores[id.Name] = c
				}
			}
		}
	}
	for _, f := range d.Type.Params.List {
		for range max(1, len(f.Names)) {
			s.parameters = append(s.parameters, in.size(f.Type, among))
		}
	}
	s.results = in.size(&ast.FuncType{Params: &ast.FieldList{}, Results: d.Type.Results}, among)
	return s
}

// coreOf returns the one type that a constraint names, nil if there is none.
func coreOf(p *types.TypeParam) types.Type {
	constraint, ok := p.Constraint().Underlying().(*types.Interface)
	if !ok || constraint.NumEmbeddeds() != 1 {
		return nil
	}
	switch e := constraint.EmbeddedType(0).(type) {
	case *types.Union:
		if e.Len() == 1 {
			return e.Term(0).Type()
		}
		return nil
	case *types.Slice, *types.Map, *types.Chan, *types.Pointer, *types.Array, *types.Signature, *types.Struct:
		return e
	}
	return nil
}

// receiverParameters returns the names that a receiver gives to the parameters of its type.
func receiverParameters(x ast.Expr) (names []string) {
	ast.Inspect(x, func(n ast.Node) bool {
		var list []ast.Expr
		switch n := n.(type) {
		case *ast.IndexExpr:
			list = []ast.Expr{n.Index}
		case *ast.IndexListExpr:
			list = n.Indices
		}
		for _, x := range list {
			if id, ok := x.(*ast.Ident); ok {
				names = append(names, id.Name)
			}
		}
		return true
	})
	return names
}

// signatureShape returns the shape of a function of the session or of a package.
func signatureShape(in *inference, t *types.Signature) shape {
	s := shape{cores: map[string]size{}}
	for _, list := range []*types.TypeParamList{t.TypeParams(), t.RecvTypeParams()} {
		for p := range list.TypeParams() {
			s.names = append(s.names, p.Obj().Name())
			if core := coreOf(p); core != nil {
				if c := in.typ(core); len(c.of) > 0 {
					s.cores[p.Obj().Name()] = c
				}
			}
		}
	}
	if t.Recv() != nil {
		receiver := in.typ(t.Recv().Type())
		s.receiver = &receiver
	}
	for v := range t.Params().Variables() {
		s.parameters = append(s.parameters, in.typ(v.Type()))
	}
	s.results = in.typ(t.Results())
	return s
}

// A bound says that what a parameter of a function is made of is no more than what an argument is.
type bound struct {
	parameter size
	argument  float64
}

// room is how often the parts of an argument may be in type parameters.
func (b bound) room() float64 { return max(1, b.argument-b.parameter.own) }

// largest returns no less than the size of a type parameter, or of any if name is empty.
func largest(bounds []bound, name string) float64 {
	most := 1.0
	for _, b := range bounds {
		for of, times := range b.parameter.of {
			if name == "" || of == name {
				most = max(most, b.room()/times)
			}
		}
	}
	return most
}

// instance returns the size of the results of a function that is called.
func (in *inference) instance(s shape, given []ast.Expr, receiver ast.Expr, arguments []ast.Expr) float64 {
	if len(s.names) == 0 {
		return s.results.with(nil, 1)
	}
	var bounds, generic []bound
	for i, x := range given {
		if i < len(s.names) {
			bounds = append(bounds, bound{size{0, map[string]float64{s.names[i]: 1}}, in.written(x)})
		}
	}
	if receiver != nil && s.receiver != nil {
		bounds = append(bounds, bound{*s.receiver, in.value(receiver) + 1})
	}
	if len(s.parameters) > 0 && len(arguments) > 0 {
		for i := range max(len(s.parameters), len(arguments)) {
			parameter, argument := s.parameters[min(i, len(s.parameters)-1)], arguments[min(i, len(arguments)-1)]
			if id, ok := argument.(*ast.Ident); ok {
				// A generic function is inferred from the other arguments.
				if f := in.function(id); len(f.of) > 0 {
					generic = append(generic, bound{parameter, f.own})
					for _, times := range f.of {
						generic[len(generic)-1].argument += times
					}
					continue
				}
			}
			bounds = append(bounds, bound{parameter, in.value(argument)})
		}
	}
	most := largest(bounds, "")
	for _, b := range generic {
		bounds = append(bounds, bound{b.parameter, b.argument * most})
	}
	for _, name := range s.names {
		if core, ok := s.cores[name]; ok {
			bounds = append(bounds, bound{core, largest(bounds, name)})
		}
	}
	// The type parameters in one argument are together no more than that.
	sum := s.results.own
	done := map[string]bool{}
	for _, b := range bounds {
		ratio := 0.0
		for name, times := range b.parameter.of {
			if !done[name] {
				done[name] = true
				ratio = max(ratio, s.results.of[name]/times)
			}
		}
		sum += ratio * b.room()
	}
	for name, times := range s.results.of {
		if !done[name] {
			sum += times * largest(bounds, "")
		}
	}
	if math.IsNaN(sum) {
		return math.Inf(1)
	}
	return sum
}
