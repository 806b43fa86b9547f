package repl

import (
	"fmt"
	"strings"

	"github.com/hierml/notebook/internal/visible"
	"github.com/hierml/notebook/kernel/internal/program"
)

// text is the screen's text for a bundle, without a line end: nothing if the bundle has no data.
// page says that it is text to read.
func (s *screen) text(bundle *program.Bundle, page bool) string {
	if len(bundle.Data) == 0 {
		return ""
	}
	plain, ok := bundle.Data["text/plain"].(string)
	if !ok {
		return fmt.Sprintf("(%d representations, none of them text)", len(bundle.Data))
	}
	return visible.Text(strings.TrimSuffix(plain, "\n"))
}
