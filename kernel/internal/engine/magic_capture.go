package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
	"github.com/hierml/notebook/stdlib/host"
)

// maxCaught is how many bytes of text %%capture keeps.
const maxCaught = 1 << 20

// A catcher keeps what a cell writes and shows until the cell has ended. Later output passes
// through.
type catcher struct {
	program.Output
	mu     sync.Mutex
	ended  bool
	caught []func(program.Output) // repeats it for an output
	text   strings.Builder
	over   bool // more was shown than is kept
	wait   bool // clear before the next text
}

// keep keeps an item and its text. It returns false if the cell has ended.
func (c *catcher) keep(text string, again func(program.Output)) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return false
	}
	if c.wait {
		c.wait = false
		c.drop()
	}
	if c.over = c.over || c.text.Len()+len(text) > maxCaught; c.over {
		return true
	}
	c.text.WriteString(text)
	c.caught = append(c.caught, again)
	return true
}

// drop discards what was caught.
func (c *catcher) drop() {
	c.text.Reset()
	c.caught, c.over = nil, false
}

// Stream keeps a text.
func (c *catcher) Stream(name, text string) {
	again := func(out program.Output) { out.Stream(name, text) }
	if !c.keep(text, again) {
		again(c.Output)
	}
}

// Display keeps a bundle. A bundle that replaces another is kept after it.
func (c *catcher) Display(bundle *program.Bundle, id string, update bool) {
	again := func(out program.Output) { out.Display(bundle, id, update) }
	if !c.keep(textOf(bundle), again) {
		again(c.Output)
	}
}

// Clear discards what was caught.
func (c *catcher) Clear(wait bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ended:
		c.Output.Clear(wait)
	case wait:
		c.wait = true
	default:
		c.drop()
	}
}

// Page keeps a bundle.
func (c *catcher) Page(bundle *program.Bundle) {
	again := func(out program.Output) { out.Page(bundle) }
	if !c.keep(textOf(bundle), again) {
		again(c.Output)
	}
}

// textOf returns a bundle as lines of text.
func textOf(bundle *program.Bundle) string {
	if bundle == nil {
		return ""
	}
	text := bundle.Text()
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// end returns the text that was caught, and the functions that show it after all.
func (c *catcher) end() (text string, caught []func(program.Output), over bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	return c.text.String(), c.caught, c.over
}

// caught declares the variable of a %%capture, or, after a failure, shows what was caught.
func (e *Engine) caught(ctx context.Context, src *syntax.Source, m *magics.Use, c *catcher, bundle *program.Bundle, failure error) error {
	text, caught, over := c.end()
	if failure != nil {
		for _, again := range caught {
			again(c.Output)
		}
		if over {
			c.Output.Stream(host.Notes, "note: %%capture has kept only this part of the output of the cell\n")
		}
		return failure
	}
	name := src.Cell.Source[m.Argument:m.ArgumentEnd]
	if name == "" {
		return nil
	}
	text += textOf(bundle)
	if over || len(text) > maxCaught {
		return syntax.ProblemsError("CompileError", []syntax.Problem{{
			Source: src, Offset: m.Argument,
			Msg: fmt.Sprintf("the cell has shown more than %d MiB of text, too much for the variable %s: write it to a file", maxCaught>>20, name),
		}})
	}
	declaration := program.Cell{
		Number: e.number(0), Count: src.Cell.Count, Name: src.Cell.Title(), Source: name + " := " + strconv.Quote(text), Plain: true, Aside: true,
	}
	_, err := e.run(ctx, syntax.NewLexed(syntax.NewSource(declaration)), c.Output)
	return err
}
