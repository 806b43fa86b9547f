package build

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// program returns the source of a unit that registers run.
func unitSource(path, imports, body string) string {
	return fmt.Sprintf("package main\n\nimport (\n%s\ncellˑ \"github.com/hierml/notebook/kernel/worker/compiled/cell\"\n)\n\n%s\n\nfunc init() { cellˑ.Register(%q, cellˑ.Code{Run: runˑ}) }\n", imports, body, path)
}

func TestTrial(t *testing.T) {
	h := open(t, false)
	plugin, err := h.kit.Trial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(filepath.Dir(plugin))
	if got := h.run(t, plugin+"=trial"); got != "" {
		t.Error(got)
	}
}
