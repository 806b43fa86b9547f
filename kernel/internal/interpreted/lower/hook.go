package lower

import "go/ast"

// Hooks of the debugger do nothing but ask a switch where nothing stops, for which package
// interpreted has an instruction of its own. So nothing is noted before them, and they do not count
// where it is asked what a loop does.

// hook writes the hook before a statement.
func (b *body) hook(s *ast.IfStmt) string {
	end := b.Aside()
	text := b.stmts(s.Body.List)
	text += end() // What the debugger has called may have noted places in this function.
	return "if " + b.expr(s.Cond) + " {\n" + text + "}\n"
}

// entry returns the statements of a function, and the hook that stands before them where the
// function is entered, as it is lowered; empty where there is none. It stands before everything
// else of the function: what it defers is done when all deferred calls are. The interpreter's own
// defer does for a call that needs no variables of the function.
func (b *body) entry(block *ast.BlockStmt) (list []ast.Stmt, hook string) {
	if len(block.List) == 0 || !b.Hook(block.List[0]) {
		return block.List, ""
	}
	s := block.List[0].(*ast.IfStmt)
	enters, ok := s.Body.List[0].(*ast.DeferStmt)
	if !ok {
		return block.List, ""
	}
	return block.List[1:], "if " + b.expr(s.Cond) + " {\ndefer " + b.expr(enters.Call) + "\n}\n"
}
