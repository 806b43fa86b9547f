package acceptance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"strconv"
	"testing"
	"time"
)

var starts = flag.Int("starts", 20, "how often to start a kernel whose front end subscribes late")

// TestFrontEnds tries what front ends besides JupyterLab do. A longer run is
//
//	go test -count=1 -v -run FrontEnds ./install/acceptance -starts 100
func TestFrontEnds(t *testing.T) {
	interpreter, data := jupyter(t), kernelData(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	private := t.TempDir()
	cmd := interpreter.Command(ctx, private, script(t, "frontends.py"), strconv.Itoa(*starts))
	cmd.Env = append(cmd.Env, seeing(data, private)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("the trials ended with %v\n%s", err, stderr.Bytes())
	}
	const trials = 4
	n := 0
	for lines := json.NewDecoder(bytes.NewReader(out)); ; n++ {
		var result struct{ Trial, Problem string }
		if err := lines.Decode(&result); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the trials printed %q: %v", out, err)
		}
		t.Run(result.Trial, func(t *testing.T) {
			if result.Problem != "" {
				t.Error(result.Problem)
			}
		})
	}
	if n != trials {
		t.Errorf("%d trials, want %d", n, trials)
	}
}
