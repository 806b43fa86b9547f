package program

import (
	"fmt"
)

// A Mode says how the cells of a session run.
type Mode int

const (
	// AutoMode compiles all cells if that is possible, and otherwise interprets all.
	AutoMode Mode = iota
	// InterpretedMode interprets all cells, and refuses code that the interpreter does not support.
	InterpretedMode
	// CompiledMode compiles all cells.
	CompiledMode
)

var ModeNames = [...]string{AutoMode: "auto", InterpretedMode: "interpreted", CompiledMode: "compiled"}

// String returns the user's word for the mode.
func (m Mode) String() string {
	if m < 0 || int(m) >= len(ModeNames) {
		return fmt.Sprintf("Mode(%d)", int(m))
	}
	return ModeNames[m]
}

// MarshalText implements encoding.TextMarshaler.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Mode) UnmarshalText(text []byte) error {
	for mode, name := range ModeNames {
		if name == string(text) {
			*m = Mode(mode)
			return nil
		}
	}
	return fmt.Errorf("expected %s, %s or %s", ModeNames[0], ModeNames[1], ModeNames[2])
}
