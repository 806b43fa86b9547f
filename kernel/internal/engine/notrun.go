package engine

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/syntax"
)

// notRun says which cell of the session's notebook declares a name, if that cell has not run in
// this session, for example after a restart. Jupyter tells kernels the file of the notebook. The
// result is empty if there is no file.
func (e *Engine) notRun(name string) string {
	path := os.Getenv("JPY_SESSION_NAME")
	if e.cells == nil || !strings.HasSuffix(path, ".ipynb") {
		return ""
	}
	cells, err := e.cells(path)
	if err != nil {
		return "" // the file was moved, or is being written; the cell's own error is enough
	}
	for _, cell := range cells {
		ran := slices.Contains(slices.Collect(maps.Values(e.checker.Transcript.Inputs)), cell.Source)
		if !ran && slices.Contains(syntax.Declares(syntax.Split(cell.Source)), name) {
			return fmt.Sprintf("%s declares %s, and has not run in this session: run it first", cell.Title(), name)
		}
	}
	return ""
}
