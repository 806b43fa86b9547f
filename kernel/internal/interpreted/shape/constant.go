package shape

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"strconv"
	"strings"
)

// Constant writes a constant with its type. All constants are folded: the interpreter's own
// arithmetic on them is not exact.
func (l *Shapes) Constant(v constant.Value, t types.Type) string {
	basic, ok := types.Default(t).Underlying().(*types.Basic)
	if !ok {
		l.Refuse(l.Pos, fmt.Sprintf("a constant of type %s", t))
	}
	text := l.Bare(v, basic)
	if named, ok := types.Unalias(types.Default(t)).(*types.Basic); ok {
		switch named.Kind() {
		case types.Int, types.String, types.Bool, types.Float64:
			return text
		}
	}
	return l.Typ(t) + "(" + text + ")"
}

// Bare writes a constant as a literal of a basic kind.
func (l *Shapes) Bare(v constant.Value, basic *types.Basic) string {
	info := basic.Info()
	switch {
	case info&types.IsBoolean != 0:
		return strconv.FormatBool(constant.BoolVal(v))
	case info&types.IsString != 0:
		return strconv.Quote(constant.StringVal(v))
	case info&types.IsInteger != 0:
		text := constant.ToInt(v).ExactString()
		if strings.HasPrefix(text, "-") {
			return "(" + text + ")"
		}
		return text
	case info&types.IsFloat != 0:
		bits := 64
		if basic.Kind() == types.Float32 {
			bits = 32
		}
		return l.float(v, bits)
	case info&types.IsComplex != 0:
		bits := 64
		if basic.Kind() == types.Complex64 {
			bits = 32
		}
		return fmt.Sprintf("complex(%s, %s)", l.float(constant.Real(v), bits), l.float(constant.Imag(v), bits))
	}
	l.Refuse(l.Pos, "a constant of an unknown kind")
	return ""
}

func (l *Shapes) float(v constant.Value, bits int) string {
	var f float64
	if bits == 32 {
		f32, _ := constant.Float32Val(v)
		f = float64(f32)
	} else {
		f, _ = constant.Float64Val(v)
	}
	if math.IsInf(f, 0) {
		l.Refuse(l.Pos, "a constant that overflows its type")
	}
	text := strconv.FormatFloat(f, 'g', -1, bits)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	if strings.HasPrefix(text, "-") {
		return "(" + text + ")"
	}
	if bits == 32 {
		return "float32(" + text + ")"
	}
	return text
}

// PlainLiteral reports whether a literal has, by itself, the type it has here.
func PlainLiteral(lit *ast.BasicLit, t types.Type) bool {
	basic, ok := types.Unalias(t).(*types.Basic)
	if !ok {
		return false
	}
	switch basic.Kind() {
	case types.Int, types.UntypedInt:
		return lit.Kind == token.INT
	case types.Float64, types.UntypedFloat:
		return lit.Kind == token.FLOAT && !strings.ContainsAny(lit.Value, "xXpP_")
	case types.String, types.UntypedString:
		return lit.Kind == token.STRING
	}
	return false
}
