//go:build unix

package pipeline_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hierml/notebook/hierml/pipeline"
)

// TestLoadExecutesNothing loads models in whose texts there are commands, in place of each name,
// word and setting, while no program can be started: what tried to would wait.
func TestLoadExecutesNothing(t *testing.T) {
	var files []string
	for name, p := range pipelines(t) {
		b := written(t, p)
		for i, replaced := range []string{`"a"`, `"b"`, `"labels`, `"hierml.pipeline"`, `"text":{`, `"leaves":[`} {
			for k, by := range []string{`"$(touch executed)"`, `"|touch executed"`, `"file:touch executed`, `"Pattern":"` + "`touch executed`" + `",`} {
				file := filepath.Join(t.TempDir(), encoded(name))
				hostile := attached(t, b, func(content string) string { return strings.Replace(content, replaced, by, 1) })
				if i+k > 0 && bytes.Equal(hostile, b) {
					continue
				}
				if err := os.WriteFile(file, hostile, 0o600); err != nil {
					t.Fatal(err)
				}
				files = append(files, file)
			}
		}
	}
	syscall.ForkLock.Lock() // which is taken to start a program
	started := make(chan error, 1)
	go func() { started <- exec.Command(os.Args[0], "-test.run=^$").Run() }()
	loaded := 0
	for _, file := range files {
		if p, err := pipeline.Load(file); err == nil {
			loaded++
			_, _ = p.Predict("$(touch executed)") // whatever it says
		}
	}
	select {
	case err := <-started:
		t.Errorf("a program can be started: %v", err)
	default:
	}
	syscall.ForkLock.Unlock()
	if err := <-started; err != nil {
		t.Error(err)
	}
	if loaded == 0 || loaded == len(files) {
		t.Errorf("%d of %d files are loaded", loaded, len(files))
	}
}
