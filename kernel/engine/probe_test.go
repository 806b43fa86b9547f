package engine_test

import (
	"os"
	"strings"
	"testing"
)

func TestProbe(t *testing.T) {
	src, err := os.ReadFile("/tmp/probe.txt")
	if err != nil {
		t.Skip()
	}
	for _, s := range strings.Split(string(src), "\n====\n") {
		n := newNotebook(t)
		for _, cell := range strings.Split(s, "\n--\n") {
			v, out, err := n.run(cell)
			res := "=> " + v
			if out != "" {
				res += " out:" + strings.TrimSpace(out)
			}
			if err != nil {
				res += " ERR " + err.Error()
			}
			t.Logf("%.90q  %s", cell, res)
		}
	}
}
