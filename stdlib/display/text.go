package display

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxText     = 64 << 10 // bytes of plain text
	maxElements = 2000     // values within a value that are all printed
	maxSide     = 100      // printed elements of a longer slice or map
	maxDepth    = 20       // of values within values
	maxFollow   = 3        // depth to which pointers in structs are followed
	maxLine     = 100      // characters; a longer value becomes a table if possible
)

// text prints a value like %+v, except that long slices and maps are cut short, and bytes that are
// text appear as text.
func text(v value) (s string) {
	x := v.any()
	defer func() {
		if r := recover(); r != nil {
			s = fmt.Sprintf("(a %T, whose text cannot be made: %v)", x, r)
		}
	}()
	switch x := x.(type) {
	case string:
		return bounded(x)
	case []byte:
		if printable(x) {
			return bounded(string(x))
		}
	}
	if s, ok := described(v); ok {
		return s
	}
	if v.speaks() {
		return bounded(fmt.Sprintf("%+v", x))
	}
	if s, ok := ownText(v); ok {
		return s
	}
	budget := maxElements
	if count(v.Value, 0, &budget); budget >= 0 {
		return bounded(withTypeName(v, fmt.Sprintf("%+v", x)))
	}
	p := printer{most: maxText, side: maxSide}
	p.print(v, 0)
	return bounded(withTypeName(v, p.String()))
}

// ownText prints a struct that the program itself declares, or one that a pointer points to, with
// the texts of its fields and of the values that they point to.
func ownText(v value) (string, bool) {
	s := v
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		s = v.pointed()
	}
	if s.Kind() != reflect.Struct || s.speaks() || !s.own() {
		return "", false
	}
	p := printer{most: maxText, side: maxSide, follow: maxFollow}
	p.print(v, 0)
	return bounded(withTypeName(v, p.String())), true
}

func printable(text []byte) bool { return utf8.Valid(text) && !slices.ContainsFunc(text, unprintable) }

// withTypeName prepends the type's name to the text of a struct, or of a pointer to one, if the
// program itself declares the type. A notebook does so for the types of its cells.
func withTypeName(v value, text string) string {
	if v.speaks() {
		return text
	}
	name, sign := "", ""
	if v.typ != nil {
		name = v.typ.Name()
	} else {
		name = v.Type().String()
	}
	if v.Kind() == reflect.Pointer && strings.HasPrefix(name, "*") {
		name, sign = name[1:], "&"
	}
	if !strings.HasPrefix(name, "main.") || !strings.HasPrefix(text, sign+"{") {
		return text
	}
	return sign + strings.ReplaceAll(name, "main.", "") + strings.TrimPrefix(text, sign)
}

// count subtracts from the budget the number of values that fmt would print.
func count(v reflect.Value, depth int, budget *int) {
	if *budget--; *budget < 0 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		*budget -= v.Len() / 64
	case reflect.Slice, reflect.Array:
		if isScalar(v.Type().Elem().Kind()) {
			*budget -= v.Len()
			return
		}
		for i := 0; i < v.Len() && *budget >= 0; i++ {
			count(v.Index(i), depth+1, budget)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next() && *budget >= 0; {
			count(it.Key(), depth+1, budget)
			count(it.Value(), depth+1, budget)
		}
	case reflect.Struct:
		if v.CanInterface() {
			if t, ok := v.Interface().(Typed); ok {
				inner, _ := t.Typed()
				count(reflect.ValueOf(inner), depth, budget)
				return
			}
		}
		for i := 0; i < v.NumField() && *budget >= 0; i++ {
			count(v.Field(i), depth+1, budget)
		}
	case reflect.Interface:
		if !v.IsNil() {
			count(v.Elem(), depth+1, budget)
		}
	case reflect.Pointer:
		if depth == 0 && !v.IsNil() {
			count(v.Elem(), depth+1, budget)
		}
	}
}

func unprintable(c byte) bool { return c < ' ' && c != '\n' && c != '\t' && c != '\r' }

func isScalar(k reflect.Kind) bool { return reflect.Bool <= k && k <= reflect.Complex128 }

// A printer prints like fmt, but only the first elements of long slices and maps, and their number.
type printer struct {
	strings.Builder
	most int // bytes, about
	side int // elements of a slice or a map

	// follow is the depth to which pointers are followed; 0 is that of the value.
	follow int
}

func (p *printer) print(v value, depth int) {
	if p.Len() > p.most {
		return
	}
	if depth > maxDepth {
		p.WriteString("…")
		return
	}
	if text, ok := described(v); ok {
		p.WriteString(text)
		return
	}
	if v.speaks() {
		fmt.Fprintf(p, "%+v", v.any())
		return
	}
	switch v.Kind() {
	case reflect.Invalid:
		p.WriteString("<nil>")
	case reflect.Slice, reflect.Array:
		p.WriteByte('[')
		for i := 0; i < v.Len() && i < p.side; i++ {
			p.between(i)
			p.print(v.index(i), depth+1)
		}
		if v.Len() > p.side {
			fmt.Fprintf(p, " … (%d elements)", v.Len())
		}
		p.WriteByte(']')
	case reflect.Map:
		p.WriteString("map[")
		keys, _ := firstKeys(v.Value, p.side)
		for i, k := range keys {
			p.between(i)
			p.print(v.part(0, k), depth+1)
			p.WriteByte(':')
			p.print(v.part(1, v.MapIndex(k)), depth+1)
		}
		if v.Len() > p.side {
			fmt.Fprintf(p, " … (%d entries)", v.Len())
		}
		p.WriteByte(']')
	case reflect.Struct:
		p.WriteByte('{')
		for i := range v.NumField() {
			p.between(i)
			p.WriteString(v.fieldName(i) + ":")
			p.print(v.field(i), depth+1)
		}
		p.WriteByte('}')
	case reflect.Interface:
		p.print(v.part(0, v.Value), depth)
	case reflect.Pointer:
		switch e := v.Elem(); {
		case depth <= p.follow && slices.Contains(composite, e.Kind()):
			p.WriteByte('&')
			p.print(v.pointed(), depth+1)
		case p.follow > 0 && e.Kind() == reflect.Struct:
			p.WriteString("&{…}")
		default:
			fmt.Fprintf(p, "%+v", v.Value)
		}
	case reflect.String:
		p.WriteString(bounded(v.String()))
	default:
		fmt.Fprintf(p, "%+v", v.Value)
	}
}

// composite are the kinds that fmt prints for a pointer to them.
var composite = []reflect.Kind{reflect.Struct, reflect.Slice, reflect.Array, reflect.Map}

func (p *printer) between(i int) {
	if i > 0 {
		p.WriteByte(' ')
	}
}

// bounded shortens a text that is too long, between characters.
func bounded(s string) string {
	if len(s) <= maxText {
		return s
	}
	cut := maxText
	for cut > maxText-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s\n… (%d bytes in all)", s[:cut], len(s))
}

// brief returns the text of a value on one line, of at most the given number of characters.
func brief(v value, most int) (s string) {
	defer func() {
		if r := recover(); r != nil {
			s = fmt.Sprintf("(panicked: %v)", r)
		}
	}()
	if text, ok := v.any().([]byte); ok && printable(text[:min(len(text), maxLine)]) {
		return oneLine(string(text[:min(len(text), 4*most)]), most)
	}
	if v.Kind() == reflect.String && !v.speaks() {
		s := v.String()
		return oneLine(s[:min(len(s), 4*most)], most)
	}
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return "nil"
	}
	p := printer{most: 4 * most, side: 20, follow: 1}
	if text, ok := described(v); ok {
		p.WriteString(text)
	} else {
		p.print(v, 0)
	}
	return oneLine(p.String(), most)
}

// oneLine returns the text with each run of white space as one blank, shortened to the given number
// of characters.
func oneLine(s string, most int) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}
