package assist_test

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
)

// TestDeepNesting asks about text that would take minutes, or that the parser gives up on.
func TestDeepNesting(t *testing.T) {
	enginetest.FailOnFaults(t)
	e := newAssistant(t, earlier...)
	for _, bracket := range []string{"[", "{", "(", "func(){", "T{"} {
		source := strings.Repeat(bracket, 20000) + "strings"
		if got := e.Complete(source, len(source)); len(got.Candidates) > 0 {
			t.Errorf("%s: %+v", bracket, got)
		}
		if got := e.Inspect(source, len(source), 0); got != nil {
			t.Errorf("%s: %+v", bracket, got)
		}
	}
}
