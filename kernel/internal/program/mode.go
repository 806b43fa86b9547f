package program

import (
	"fmt"
)

// A Mode says what runs the cells of a session.
type Mode int

const (
	// AutoMode compiles all cells where that is possible, and interprets all otherwise.
	AutoMode Mode = iota
	// InterpretedMode interprets all cells, and refuses what the interpreter does not take.
	InterpretedMode
	// CompiledMode compiles all cells.
	CompiledMode
)

var ModeNames = [...]string{AutoMode: "auto", InterpretedMode: "interpreted", CompiledMode: "compiled"}

// String returns the word by which users choose the mode.
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
