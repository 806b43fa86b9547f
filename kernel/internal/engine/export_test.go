package engine

import (
	"context"
	"strings"
	"time"

	"github.com/hierml/notebook/kernel/internal/program"
)

// Lower returns what a cell becomes, and commits it as if it had run.
func (e *Engine) Lower(cell program.Cell) (string, error) {
	src, _, err := e.translated(cell)
	if err != nil {
		return "", err
	}
	w, err := e.write(context.Background(), src, false)
	if err != nil {
		return "", err
	}
	w.l.Commit(len(w.l.K.Body))
	return strings.Join(w.p.Source, "\n"), nil
}

// Tests wait for values however slow the machine is.
func init() { peekPatience = time.Minute }
