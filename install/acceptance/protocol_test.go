package acceptance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/hierml/notebook/internal/testprogram"
)

// protocolTests are the tests of jupyter_kernel_test. It skips those for which it has no sample,
// which is a failure here.
var protocolTests = []string{
	"test_clear_output",
	"test_completion",
	"test_display_data",
	"test_error",
	"test_execute_result",
	"test_execute_stderr",
	"test_execute_stdout",
	"test_history",
	"test_inspect",
	"test_is_complete",
	"test_kernel_info",
	"test_pager",
	"test_recv_iopub_welcome_msg",
}

func TestProtocol(t *testing.T) {
	interpreter, data := jupyter(t), kernelData(t)
	// What compiled cells need takes longer to make than the suite waits for a message.
	if _, err := testprogram.Open(t, false).Kit(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	private := t.TempDir()
	cmd := interpreter.Command(ctx, private, script(t, "protocol.py"))
	cmd.Env = append(cmd.Env, seeing(data, private)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("the suite ended with %v\n%s", err, stderr.Bytes())
	}
	var passed []string
	for lines := json.NewDecoder(bytes.NewReader(out)); ; {
		var result struct{ Test, Outcome, Why string }
		if err := lines.Decode(&result); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the suite printed %q: %v", out, err)
		}
		t.Run(result.Test, func(t *testing.T) {
			if result.Outcome != "passed" {
				t.Fatalf("%s: %s", result.Outcome, result.Why)
			}
			passed = append(passed, result.Test)
		})
	}
	for _, name := range protocolTests {
		if !slices.Contains(passed, name) {
			t.Errorf("%s did not pass", name)
		}
	}
}
