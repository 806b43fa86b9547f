package interpreted

import (
	"testing"
	"time"
)

// TestPause holds that looking takes a small share of the time, however many goroutines there are.
func TestPause(t *testing.T) {
	for _, look := range []time.Duration{0, time.Microsecond, time.Millisecond, time.Second} {
		if p := pause(look); p < nextLook || look*20 > p {
			t.Errorf("%v after a look of %v", p, look)
		}
	}
}

func TestInterprets(t *testing.T) {
	const waits = "goroutine 1 [select]:\ngithub.com/traefik/yaegi/interp.runCfg(0x1)\n\t/a/run.go:1\n\n"
	for _, c := range []struct {
		name, stacks string
		want         bool
	}{
		{"nothing", "", false},
		{"waits", waits, false},
		{"itself", waits + "goroutine 7 [runnable]:\ngithub.com/traefik/yaegi/interp.add.func1(0x2)\n\t/a/op.go:1\nmain.main()\n\t/a/main.go:2\n", true},
		{"by reflection", "goroutine 7 [running]:\nruntime.mallocgc(0x8)\n\t/a/malloc.go:1\nreflect.New(0x1)\n\t/a/value.go:1\ngithub.com/traefik/yaegi/interp.runCfg(0x1)\n\t/a/run.go:1\n", true},
		{"compiled", "goroutine 7 [running, locked to thread]:\ngonum.org/v1/gonum/mat.(*Dense).Mul(0x1)\n\t/a/mul.go:1\ngithub.com/traefik/yaegi/interp.callBin(0x1)\n\t/a/run.go:1\n", false},
	} {
		if got := interprets([]byte(c.stacks)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
