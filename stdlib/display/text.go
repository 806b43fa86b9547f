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
	maxElements = 2000     // values within a value that are printed one and all
	maxSide     = 100      // of a longer slice or map, elements that are printed
)

// text prints a value as %+v does, except that long slices and maps are cut
// short, bytes that are text are shown as such, and a function by its type.
func text(v any) (s string) {
	defer func() {
		if r := recover(); r != nil {
			s = fmt.Sprintf("(a %T, whose text cannot be made: %v)", v, r)
		}
	}()
	switch v := v.(type) {
	case string:
		return bounded(v)
	case []byte:
		if utf8.Valid(v) && !slices.ContainsFunc(v, unprintable) {
			return bounded(string(v))
		}
	case error, fmt.Formatter, fmt.Stringer:
		return bounded(fmt.Sprintf("%+v", v))
	}
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Func && !r.IsNil() {
		return r.Type().String()
	}
	budget := maxElements
	if count(r, 0, &budget); budget >= 0 {
		return bounded(fmt.Sprintf("%+v", v))
	}
	var b strings.Builder
	printShort(&b, r, 0)
	return bounded(b.String())
}

// named puts the name of its type before the text of a struct, or of a pointer
// to one, that the program itself declares, as a notebook does for the types of
// its cells.
func named(v any, text string) string {
	switch v.(type) {
	case error, fmt.Formatter, fmt.Stringer:
		return text
	}
	t, sign := reflect.TypeOf(v), ""
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		t, sign = t.Elem(), "&"
	}
	if t.Kind() != reflect.Struct || t.PkgPath() != "main" || t.Name() == "" || !strings.HasPrefix(text, sign+"{") {
		return text
	}
	return sign + strings.ReplaceAll(t.Name(), "main.", "") + strings.TrimPrefix(text, sign)
}

// count takes from the budget the number of values that fmt would print.
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

// printShort prints as fmt does, but of long slices and maps only the first
// elements and their number.
func printShort(b *strings.Builder, v reflect.Value, depth int) {
	if b.Len() > maxText {
		return
	}
	if v.IsValid() && v.CanInterface() {
		switch v.Interface().(type) {
		case error, fmt.Formatter, fmt.Stringer:
			fmt.Fprintf(b, "%+v", v.Interface())
			return
		}
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		b.WriteByte('[')
		for i := 0; i < v.Len() && i < maxSide; i++ {
			if i > 0 {
				b.WriteByte(' ')
			}
			printShort(b, v.Index(i), depth+1)
		}
		if v.Len() > maxSide {
			fmt.Fprintf(b, " … (%d elements)", v.Len())
		}
		b.WriteByte(']')
	case reflect.Map:
		b.WriteString("map[")
		n := 0
		for it := v.MapRange(); it.Next() && n < maxSide; n++ {
			if n > 0 {
				b.WriteByte(' ')
			}
			printShort(b, it.Key(), depth+1)
			b.WriteByte(':')
			printShort(b, it.Value(), depth+1)
		}
		if v.Len() > maxSide {
			fmt.Fprintf(b, " … (%d entries)", v.Len())
		}
		b.WriteByte(']')
	case reflect.Struct:
		b.WriteByte('{')
		for i := range v.NumField() {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(v.Type().Field(i).Name + ":")
			printShort(b, v.Field(i), depth+1)
		}
		b.WriteByte('}')
	case reflect.Interface:
		if v.IsNil() {
			b.WriteString("<nil>")
		} else {
			printShort(b, v.Elem(), depth+1)
		}
	case reflect.Pointer:
		if e := v.Elem(); depth == 0 && e.IsValid() && (e.Kind() == reflect.Struct || e.Kind() == reflect.Slice || e.Kind() == reflect.Array || e.Kind() == reflect.Map) {
			b.WriteByte('&')
			printShort(b, e, depth+1)
		} else {
			fmt.Fprintf(b, "%+v", v)
		}
	case reflect.String:
		b.WriteString(bounded(v.String()))
	default:
		fmt.Fprintf(b, "%+v", v)
	}
}

// bounded cuts a text that is too long, between characters.
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
