package acceptance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"testing"
	"time"
)

// TestStopped asks for what has to work while a program is stopped at a breakpoint, and stops what
// is no cell: what runs in a subshell, and what a widget calls.
func TestStopped(t *testing.T) {
	interpreter, data := jupyter(t), kernelData(t)
	for _, engine := range []string{"interpreted", "compiled"} {
		t.Run(engine, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			private := t.TempDir()
			cmd := interpreter.Command(ctx, private, script(t, "stopped.py"), engine)
			cmd.Env = append(cmd.Env, seeing(data, private)...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("the script ended with %v\n%s\n%s", err, out, stderr.Bytes())
			}
			found := map[string]string{}
			for lines := json.NewDecoder(bytes.NewReader(out)); ; {
				var m struct {
					Message string
					Content json.RawMessage
				}
				if err := lines.Decode(&m); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				found[m.Message] = string(m.Content)
			}
			for message, want := range map[string]string{
				"cell":                 `["half:3", "Cell [3]:1"]`,
				"complete":             `["kept"]`,
				"inspect":              `"func half(n int) int\n\nDeclared in Cell [1].\n"`,
				"is_complete":          `"incomplete"`,
				"inspectVariables":     `{"kept": "7"}`,
				"subshell":             `"beside 7\n"`,
				"subshell stops":       `["half:3", "Cell [5]:1"]`,
				"widget":               `["half:3", "func:2"]`,
				"widget goes on":       `"half 21\n"`,
				"widget again":         `["half:3", "func:2"]`,
				"after the interrupt":  `"7"`,
				"before the restart":   `["half:3", "Cell [8]:1"]`,
				"left by the restart":  `0`,
				"after the restart":    `["half:3", "Cell [2]:1"]`,
				"shutdown":             `"ok"`,
				"left by the shutdown": `0`,
			} {
				if found[message] != want {
					t.Errorf("%s: %s, want %s", message, found[message], want)
				}
			}
		})
	}
}
