package repl

import (
	"fmt"
	"strings"

	"github.com/hierml/notebook/kernel/engine"
)

// text is what the screen shows of a bundle, without a line's end behind it. A
// page is something to read.
func (s *screen) text(bundle *engine.Bundle, page bool) string {
	plain, ok := bundle.Data["text/plain"].(string)
	if !ok {
		return fmt.Sprintf("(%d representations, none of them text)", len(bundle.Data))
	}
	return strings.TrimSuffix(s.look.plain(plain), "\n")
}
