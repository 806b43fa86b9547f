package program_test

import (
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

func TestModeText(t *testing.T) {
	for text, want := range map[string]program.Mode{
		"auto":        program.AutoMode,
		"interpreted": program.InterpretedMode,
		"compiled":    program.CompiledMode,
	} {
		got := program.Mode(-1)
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want || got.String() != text {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	mode := program.CompiledMode
	err := mode.UnmarshalText([]byte("fast"))
	if want := "expected auto, interpreted or compiled"; err == nil || err.Error() != want || mode != program.CompiledMode {
		t.Errorf("fast: %v, error %v, want %s", mode, err, want)
	}
}
