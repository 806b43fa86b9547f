package check_test

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// TestOverflow looks at constants that are too large for what they are shown as.
func TestOverflow(t *testing.T) {
	session := enginetest.NewSession()
	for _, c := range []struct{ cell, want string }{
		{"1e400", ":1:1: cannot use 1e400 (untyped float constant 1e+400) as float64 value (overflows)"},
		{"x := 1\n-1e400", ":2:1: cannot use -1e400 (untyped float constant -1e+400) as float64 value (overflows)"},
		{"1e400i", ":1:1: cannot use 1e400i (untyped complex constant (0 + 1e+400i)) as complex128 value (overflows)"},
		{"1 << 70", ":1:1: cannot use 1 << 70 (untyped int constant 1180591620717411303424) as int value (overflows)"},
		{"'a' << 40", ":1:1: cannot use 'a' << 40 (untyped rune constant 106652627894272) as rune value (overflows)"},
	} {
		if _, err := session.Check(program.Cell{Number: 1, Source: c.cell}); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error that ends in %q", c.cell, err, c.want)
		}
	}
	if _, err := session.Check(program.Cell{Number: 1, Source: "1e400 / 1e399"}); err != nil {
		t.Error(err)
	}
}
