package emit

import (
	"go/ast"
	"go/token"
	"go/types"
)

// channel returns the type of an expression whose channel operations are guarded. Type parameters
// are not.
func (g *Guard) channel(x ast.Expr) (*types.Chan, bool) {
	t := types.Unalias(g.Info.TypeOf(x))
	if _, ok := t.(*types.TypeParam); ok || t == nil {
		return nil, false
	}
	c, ok := t.Underlying().(*types.Chan)
	return c, ok
}

// receive guards a receive operation by a function of package cell.
func (g *Guard) receive(u *ast.UnaryExpr) {
	_, ok := g.channel(u.X)
	function := "Receive"
	// If both results are used, the recorded type is their tuple.
	if pair, both := g.Info.TypeOf(u).(*types.Tuple); both {
		function = "ReceiveOK"
		// The second result is an untyped boolean, but that of a function is typed.
		t := pair.At(1).Type()
		ok = ok && (types.Identical(t, types.Typ[types.Bool]) || types.Identical(t, types.Typ[types.UntypedBool]))
	}
	if !ok {
		g.walk(u.X)
		return
	}
	g.replace(u.OpPos, u.OpPos+2, g.Cell(function)+"(")
	g.walk(u.X)
	g.insert(u.X.End(), ")")
}

// send guards a send statement.
func (g *Guard) send(s *ast.SendStmt) {
	c, ok := g.channel(s.Chan)
	if !ok {
		g.walk(s.Chan)
		g.walk(s.Value)
		return
	}
	function, between := "Send", ","
	if t := g.Info.TypeOf(s.Value); t == nil || !g.null(s.Value) && !types.Identical(t, c.Elem()) {
		// A value of another type would take part in inferring the type parameter.
		function, between = "SendTo", ")("
	}
	g.insert(s.Pos(), g.Cell(function)+"(")
	g.walk(s.Chan)
	g.replace(s.Arrow, s.Arrow+2, between)
	g.walk(s.Value)
	g.insert(s.Value.End(), ")")
}

// null reports whether an expression is the predeclared nil.
func (g *Guard) null(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	return ok && g.Info.Uses[id] == types.Universe.Lookup("nil")
}

// rangeLoop guards a range loop.
func (g *Guard) rangeLoop(s *ast.RangeStmt) {
	if _, ok := g.channel(s.X); ok {
		g.receiveLoop(s)
		return
	}
	g.walk(s.Key)
	g.walk(s.Value)
	g.walk(s.X)
	if !g.short(s) {
		g.check(s.Body)
	}
	g.walk(s.Body)
}

// receiveLoop turns a range loop over a channel into one that receives, or over an iterator if it
// sets an outer variable.
func (g *Guard) receiveLoop(s *ast.RangeStmt) {
	key, _ := s.Key.(*ast.Ident)
	if s.Key != nil && (key == nil || s.Tok != token.DEFINE && key.Name != "_") {
		g.walk(s.Key)
		g.insert(s.X.Pos(), g.Cell("Range")+"(")
		g.walk(s.X)
		g.insert(s.X.End(), ")")
		g.check(s.Body)
		g.walk(s.Body)
		return
	}
	name, from := "_", s.Range
	if key != nil {
		name, from = key.Name, key.Pos()
	}
	g.replace(from, s.X.Pos(), "channelˑˑ := ")
	g.walk(s.X)
	g.insert(s.X.End(), "; ;")
	g.check(s.Body)
	g.insert(s.Body.Lbrace+1, " "+name+", okˑˑ := "+g.Cell("ReceiveOK")+"(channelˑˑ); if !okˑˑ { break }; {")
	g.walk(s.Body)
	g.insert(s.Body.Rbrace, "}")
}

// selection guards a select statement: one without default gets a clause for the end of the cell.
// The sends and receives of its clauses stay.
func (g *Guard) selection(s *ast.SelectStmt) {
	waits := true
	for _, c := range s.Body.List {
		if c.(*ast.CommClause).Comm == nil {
			waits = false
		}
	}
	if waits {
		// Stop does not return, and the loop around it tells the compiler so.
		g.insert(s.Body.Lbrace+1, " case <-"+g.Cell("Done")+"(): for { "+g.Cell("Stop")+"() };")
	}
	for _, c := range s.Body.List {
		c := c.(*ast.CommClause)
		switch comm := c.Comm.(type) {
		case *ast.SendStmt:
			g.walk(comm.Chan)
			g.walk(comm.Value)
		case *ast.ExprStmt:
			g.received(comm.X)
		case *ast.AssignStmt:
			for _, x := range comm.Lhs {
				g.walk(x)
			}
			g.received(comm.Rhs[0])
		}
		for _, s := range c.Body {
			g.walk(s)
		}
	}
}

// received walks the operand of the receive operation in a clause.
func (g *Guard) received(x ast.Expr) {
	if u, ok := ast.Unparen(x).(*ast.UnaryExpr); ok {
		x = u.X
	}
	g.walk(x)
}
