package conversion

import (
	"fmt"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
)

// AsksType reports whether a call of a printing function, with a format that may be constant and
// operands of these types, may print a value of a session type with a verb that fmt answers without
// asking the operand.
func (c Conversions) AsksType(obj *types.Func, format constant.Value, operands []types.Type) bool {
	carriers := slices.ContainsFunc(operands, func(t types.Type) bool {
		return t != nil && (types.IsInterface(t) || !c.Native(t))
	})
	if !carriers || format == nil || format.Kind() != constant.String {
		return carriers
	}
	text, verbs := constant.StringVal(format), 0
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		i++
		for i < len(text) && strings.IndexByte("+-# 0123456789.", text[i]) >= 0 {
			i++
		}
		if i < len(text) && text[i] == '%' {
			continue
		}
		if i >= len(text) || strings.IndexByte("[*Tp", text[i]) >= 0 {
			return true
		}
		verbs++
		if text[i] == 'w' && (obj.Name() != "Errorf" || verbs > len(operands) || !typed.IsError(operands[verbs-1])) {
			return true
		}
	}
	return verbs != len(operands)
}

// Formatter returns the function that calls another one with the format and the operands that the
// bridge makes of the given ones.
func (c Conversions) Formatter(obj *types.Func, sig *types.Signature) string {
	key := fmt.Sprintf("format %s %v", c.Signature(sig, false), obj.Name() == "Errorf")
	if name, ok := c.Sent.Made[key]; ok {
		return name
	}
	name := fmt.Sprintf("format__c%d", c.S.Unique())
	c.Note(key, name)
	at, _ := FormatParameter(obj)
	last := sig.Params().Len() - 1
	verbs := fmt.Sprintf("p%d, p%d = %s.Verbs(%v, p%d, p%d); ", at, last, shape.Bridge, obj.Name() == "Errorf", at, last)
	c.Funcs = append(c.Funcs, fmt.Sprintf("func %s(f func%s, %s { %s%s }", name, c.Signature(sig, false),
		strings.TrimPrefix(c.Signature(sig, true), "("), verbs, shape.Returning(sig, "f("+shape.Forwarded(sig)+")")))
	return name
}
