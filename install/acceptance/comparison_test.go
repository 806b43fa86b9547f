package acceptance

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/hierml/notebook/internal/testrun"
)

// TestComparison measures hierml and ipykernel in one run, in turns:
//
//	HIERML_TEST_LONG=1 go test -count=1 -v -run Comparison ./install/acceptance
func TestComparison(t *testing.T) {
	testrun.LeaveToLong(t, "times can be compared only on a machine that does nothing else")
	const starts, rounds = 5, 100
	interpreter, data := jupyter(t), kernelData(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	private := t.TempDir()
	cmd := interpreter.Command(ctx, private, script(t, "compare.py"), "hierml", "python3", strconv.Itoa(starts), strconv.Itoa(rounds))
	cmd.Env = append(cmd.Env, seeing(data, private)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	var figures map[string]struct{ Start, Round []float64 }
	if err := json.Unmarshal(out, &figures); err != nil {
		t.Fatalf("the script printed %q: %v", out, err)
	}
	ours, theirs := figures["hierml"], figures["python3"]
	for _, m := range []struct {
		what         string
		ours, theirs []float64
		times        int
	}{
		{"start to first kernel_info_reply", ours.Start, theirs.Start, starts},
		{"round trip of 1+1", ours.Round, theirs.Round, rounds},
	} {
		if len(m.ours) != m.times || len(m.theirs) != m.times {
			t.Errorf("%s: %d and %d measurements, want %d", m.what, len(m.ours), len(m.theirs), m.times)
			continue
		}
		a, b := median(m.ours), median(m.theirs)
		t.Logf("%s, median of %d: hierml %.2f ms, ipykernel %.2f ms", m.what, m.times, a*1e3, b*1e3)
		if a >= b {
			t.Errorf("%s: hierml is not faster than ipykernel", m.what)
		}
	}
}

func median(seconds []float64) float64 {
	s := slices.Sorted(slices.Values(seconds))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
