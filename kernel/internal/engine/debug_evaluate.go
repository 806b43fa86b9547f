package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"slices"
	"strings"
	"time"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// The debugger cannot evaluate some expressions, such as calls of functions of cells. The engine
// runs these as a cell. The variables of the stopped call that the expression mentions are copied
// to session variables with reserved names, which are forgotten afterwards.
const (
	copyName   = "frameˑ%d"
	resultName = "resultˑ"
)

// evaluatePatience is how long to wait for an expression that runs as a cell. The front end cannot
// ask for anything else meanwhile.
const evaluatePatience = 5 * time.Second

// An evaluation is a request to evaluate an expression, with what the debugger reported about it.
type evaluation struct {
	Seq       int    `json:"seq"`
	Type      string `json:"type"`
	Command   string `json:"command"`
	Arguments struct {
		Expression string `json:"expression"`
		Frame      int    `json:"frameId"`
	} `json:"arguments"`
}

// evaluateBeyond evaluates the expression of a request as a cell if the debugger has responded that
// it cannot. It returns other responses unchanged.
func (e *Engine) evaluateBeyond(ctx context.Context, d program.Debuggee, request, response []byte) ([]byte, error) {
	var told struct {
		Body struct {
			Beyond    bool
			Variables []program.HookedVariable
		}
	}
	var r evaluation
	if err := json.Unmarshal(response, &told); err != nil || !told.Body.Beyond {
		return response, err
	}
	if err := json.Unmarshal(request, &r); err != nil {
		return nil, err
	}
	defer e.forgetNames()
	expression, ok := renamed(r.Arguments.Expression, told.Body.Variables)
	if !ok {
		return refusing(response, "the debugger cannot evaluate function literals, or composite literals whose keys have the names of variables")
	}
	refuse := func(err error) ([]byte, error) {
		var failed *program.Error
		if !errors.As(err, &failed) {
			return nil, err
		}
		message := withoutPlace(failed.Message)
		if failed.Name == "CompileError" {
			message += "; others can use the declarations of the stopped cell only after it has ended"
		}
		return refusing(response, message)
	}
	var declarations strings.Builder
	for i, v := range told.Body.Variables {
		fmt.Fprintf(&declarations, "var "+copyName+" %s\n", i, v.Type)
	}
	if declarations.Len() > 0 {
		if err := e.declareAside(ctx, declarations.String()); err != nil {
			return refuse(err)
		}
	}
	for i, v := range told.Body.Variables {
		name := fmt.Sprintf(copyName, i)
		copied, err := json.Marshal(map[string]any{"seq": r.Seq, "type": r.Type, "command": "copyToGlobals", "arguments": map[string]any{
			"srcVariableName": v.Name, "dstVariableName": name, "srcFrameId": max(r.Arguments.Frame, 1),
		}})
		if err != nil {
			return nil, err
		}
		answer, err := e.askDebugger(ctx, d, copied)
		if err != nil {
			return nil, err
		}
		var is struct {
			Success bool
			Message string
		}
		if err := json.Unmarshal(answer, &is); err != nil || !is.Success {
			return refusing(response, fmt.Sprintf("%s: %s", v.Name, is.Message))
		}
	}
	err := e.evaluateAside(ctx, "var "+resultName+" any = "+expression)
	if failed := (*program.Error)(nil); errors.As(err, &failed) && strings.Contains(failed.Message, "(no value)") {
		if err = e.evaluateAside(ctx, expression); err == nil {
			err = e.declareAside(ctx, "var "+resultName+" any")
		}
	}
	if err != nil {
		return refuse(err)
	}
	r.Arguments.Expression = resultName
	again, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return e.askDebugger(ctx, d, again)
}

// evaluateAside is declareAside for an expression that may not end. If it is interpreted, only
// interrupting the stopped cell can end it.
func (e *Engine) evaluateAside(ctx context.Context, source string) error {
	e.mu.Lock()
	compiled := e.compiled
	e.mu.Unlock()
	running, cancel := context.WithCancel(ctx)
	defer func() {
		if compiled {
			cancel()
		}
	}()
	ended := make(chan error, 1)
	go func() {
		ended <- e.declareAside(running, source)
		cancel()
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(evaluatePatience):
	}
	message := fmt.Sprintf("the evaluation has not finished within %v: it may wait for the stopped goroutine", evaluatePatience)
	if !compiled {
		message += "; it continues until you interrupt the cell"
	}
	return &program.Error{Name: "Interrupted", Message: message}
}

// renamed returns an expression with the names of variables replaced by those of their copies. It
// reports false if it cannot tell which names refer to these variables.
func renamed(expression string, variables []program.HookedVariable) (text string, ok bool) {
	x, err := parser.ParseExpr(expression)
	if err != nil {
		return "", false
	}
	var edits syntax.Edits
	ok = true
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ok = false
		case *ast.SelectorExpr:
			ast.Inspect(n.X, visit)
			return false
		case *ast.KeyValueExpr:
			if id, is := n.Key.(*ast.Ident); is {
				ok = ok && !slices.ContainsFunc(variables, func(v program.HookedVariable) bool { return v.Name == id.Name })
				ast.Inspect(n.Value, visit)
				return false
			}
		case *ast.Ident:
			if i := slices.IndexFunc(variables, func(v program.HookedVariable) bool { return v.Name == n.Name }); i >= 0 {
				start := int(n.Pos()) - 1
				edits.Replace(start, start+len(n.Name), fmt.Sprintf(copyName, i))
			}
		}
		return true
	}
	ast.Inspect(x, visit)
	edits.Sort()
	return edits.Apply(expression, 0), ok
}

// forgetNames forgets the variables of an expression that was run as a cell.
func (e *Engine) forgetNames() {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.checker.Session
	for name := range s.Live {
		if before, _, own := strings.Cut(name, "ˑ"); own && (before == "frame" || before == "result") {
			s.Forget(name)
		}
	}
}
