package engine_test

import (
	"testing"

	"github.com/hierml/notebook/kernel/internal/engine"
)

func TestModeText(t *testing.T) {
	for text, want := range map[string]engine.Mode{
		"auto":        engine.AutoMode,
		"interpreted": engine.InterpretedMode,
		"compiled":    engine.CompiledMode,
	} {
		got := engine.Mode(-1)
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want || got.String() != text {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	mode := engine.CompiledMode
	err := mode.UnmarshalText([]byte("fast"))
	if want := "expected auto, interpreted or compiled"; err == nil || err.Error() != want || mode != engine.CompiledMode {
		t.Errorf("fast: %v, error %v, want %s", mode, err, want)
	}
}
