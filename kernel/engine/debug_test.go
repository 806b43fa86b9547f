package engine_test

import (
	"os"
	"testing"

	"github.com/hierml/notebook/kernel/engine"
)

func TestDebug(t *testing.T) {
	src, err := os.ReadFile("/tmp/cell.go")
	if err != nil {
		t.Skip()
	}
	n := newNotebook(t)
	text, err := n.engine.Lower(engine.Cell{Number: 1, Source: string(src)})
	t.Logf("%s\n%v", text, err)
	n = newNotebook(t)
	v, out, err := n.run(string(src))
	t.Logf("%q\n%s\n%v\n%v", v, out, err, traceback(err))
}
