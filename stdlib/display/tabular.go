package display

import (
	"encoding/base64"
	"fmt"
	"html"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hierml/notebook/internal/table"
)

const (
	maxCell  = 60       // characters of a cell
	maxDrawn = 64 << 10 // bytes of a cell's drawing
	gap      = "⋯"      // replaces omitted rows and columns
)

// tabular returns the value as a table, or nil. A value with one cell per row, such as a list of
// names, is a table only if it is long, and so is a struct of another package.
func tabular(v value, long bool) *table.Table { return rounded(v, long, table.Digits) }

// rounded is tabular with a number of significant digits in columns of floating-point numbers.
func rounded(v value, long bool, digits int) *table.Table {
	if v.Kind() == reflect.Pointer && !v.IsNil() && !v.speaks() {
		v = v.pointed()
	}
	if v.speaks() || !v.IsValid() {
		return nil
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		return list(v, long, digits)
	case reflect.Map:
		return mapping(v, digits)
	case reflect.Struct:
		if long || v.own() {
			return structure(v)
		}
	}
	return nil
}

// Table returns the values as a table with one row per element. The largest number of a column of
// floating-point numbers has the given number of significant digits. ok is false if the value is
// not a slice, an array or a map, or has no elements.
func Table(v any, digits int) (b *Bundle, ok bool) {
	of := valueOf(v)
	if of.Kind() == reflect.Pointer && !of.IsNil() {
		of = of.pointed()
	}
	switch of.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		if t := rounded(of, true, digits); t != nil {
			return &Bundle{Data: map[string]any{HTML: t.HTML(), Text: bounded(t.String())}}, true
		}
	}
	return nil, false
}

// numbers reports whether the value is a slice of numbers or booleans, whose text is a list.
func numbers(v value) bool {
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
		return false
	}
	return isScalar(v.Type().Elem().Kind())
}

// ofPointers reports whether the value is a slice or a map of pointers, for which fmt prints
// addresses.
func ofPointers(v value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return v.Type().Elem().Kind() == reflect.Pointer
	}
	return false
}

// list returns the table of a slice or an array.
func list(v value, long bool, digits int) *table.Table {
	n := v.Len()
	if n == 0 || v.Type().Elem().Kind() == reflect.Uint8 && !long {
		return nil
	}
	indices := shownIndices(n, maxRows)
	elements := make([]value, len(indices))
	for k, i := range indices {
		if i >= 0 {
			elements[k] = v.index(i)
		}
	}
	if every(elements, scalars) {
		columns := 0
		for _, e := range elements {
			if e.IsValid() {
				columns = max(columns, e.Len())
			}
		}
		if columns > 0 {
			return rectangle(v, n, columns, digits)
		}
	}
	if t := rowsOfRows(v, elements, digits); t != nil {
		return t
	}
	columns := parts(elements)
	if len(columns) == 1 && columns[0].name == "" && !columns[0].drawn && !long {
		return nil
	}
	heads := make([]value, len(indices))
	for k, i := range indices {
		if i >= 0 {
			heads[k] = valueOf(i)
		}
	}
	t := build(heads, "", columns, digits)
	if n > maxRows {
		t.Notes = append([]string{fmt.Sprintf("%d rows", n)}, t.Notes...)
	}
	if numbers(v) {
		if note := summary(v); note != "" {
			t.Notes = []string{note}
		}
	}
	return t
}

// rowsOfRows returns the table of a slice of slices of structs, one row per struct; nil if some
// elements, or elements of these, are something else. If there is more than one slice, the first
// column says which.
func rowsOfRows(v value, some []value, digits int) *table.Table {
	if !every(some, isList) {
		return nil
	}
	var outer, inner, elements []value
	all := 0
	for i := range v.Len() {
		list := v.index(i)
		if !isList(list) {
			return nil
		}
		for j := range min(list.Len(), maxRows-len(elements)) {
			outer, inner, elements = append(outer, valueOf(i)), append(inner, valueOf(j)), append(elements, list.index(j))
		}
		all += list.Len()
	}
	if !every(elements, isStruct) {
		return nil
	}
	columns := parts(elements)
	if columns[0].name == "" {
		return nil
	}
	heads := inner
	if v.Len() > 1 {
		heads, columns = outer, append([]column{{values: inner}}, columns...)
	}
	t := build(heads, "", columns, digits)
	if all > len(elements) {
		t.Notes = append([]string{fmt.Sprintf("… and %d more rows", all-len(elements))}, t.Notes...)
	}
	return t
}

func isList(v value) bool { return v.Kind() == reflect.Slice || v.Kind() == reflect.Array }

// rectangle returns the table of a slice of slices of numbers or strings.
func rectangle(v value, rows, columns, digits int) *table.Table {
	t := grid(rows, columns, false, digits, func(i, j int) value {
		row := v.index(i)
		if !row.IsValid() || j >= row.Len() {
			return value{}
		}
		return row.index(j)
	})
	t.Notes = []string{fmt.Sprintf("%d × %d", rows, columns)}
	return t
}

// mapping returns the table of a map, one row per key.
func mapping(v value, digits int) *table.Table {
	if v.Len() == 0 {
		return nil
	}
	keys, _ := firstKeys(v.Value, maxRows)
	heads, elements := make([]value, len(keys)), make([]value, len(keys))
	for i, k := range keys {
		heads[i], elements[i] = v.part(0, k), v.part(1, v.MapIndex(k))
	}
	columns := parts(elements)
	if len(columns) == 1 && columns[0].name == "" {
		columns[0].single = digits == table.Digits
	}
	t := build(heads, "key", columns, digits)
	if more := v.Len() - len(keys); more > 0 {
		t.Notes = append([]string{fmt.Sprintf("… and %d more of %d", more, v.Len())}, t.Notes...)
	}
	return t
}

// structure returns the table of a struct, one row per field.
func structure(v value) *table.Table {
	t := &table.Table{Title: strings.TrimPrefix(v.typeName(), "main."), Columns: []table.Column{{Head: true}, {}}}
	if strings.HasPrefix(t.Title, "struct {") {
		t.Title = ""
	}
	fields := visible(v)
	for _, i := range fields[:min(len(fields), maxRows)] {
		f := v.field(i)
		html, _ := drawn(f)
		t.Rows = append(t.Rows, []table.Cell{{Text: v.fieldName(i)}, {Text: brief(f, maxLine), HTML: html}})
	}
	if more := len(fields) - maxRows; more > 0 {
		t.Notes = []string{fmt.Sprintf("… and %d more fields", more)}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// A column holds a part of all elements of a slice or a map, or the elements themselves, which have
// no name. An invalid value is an empty cell.
type column struct {
	name   string
	values []value
	single bool     // each value has its own kind and number of digits
	drawn  bool     // some of the values show themselves
	html   []string // of those that do, "" for the others
}

// parts returns the columns of a table of the elements.
func parts(elements []value) []column {
	whole := column{values: elements, html: make([]string, len(elements))}
	for i, e := range elements {
		if text, ok := drawn(e); ok {
			whole.html[i], whole.drawn = text, true
		}
	}
	if whole.drawn {
		return []column{whole}
	}
	switch {
	case every(elements, isStruct) && sameType(elements):
		if columns := fields(elements); len(columns) > 0 {
			return columns
		}
	case every(elements, isRecord):
		return entries(elements)
	}
	return []column{whole}
}

// every reports whether there are valid elements and such is true for all of them.
func every(elements []value, such func(value) bool) bool {
	some := false
	for _, e := range elements {
		if !e.IsValid() {
			continue
		}
		if !such(e) {
			return false
		}
		some = true
	}
	return some
}

func scalars(v value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		k := v.Type().Elem().Kind()
		return (isScalar(k) || k == reflect.String) && k != reflect.Uint8 && !v.speaks()
	}
	return false
}

func isStruct(v value) bool {
	v = behind(v)
	return !v.IsValid() || v.Kind() == reflect.Struct
}

// isRecord reports whether the value is a map with names as keys.
func isRecord(v value) bool {
	return v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String && !v.speaks()
}

// behind follows a pointer; nil becomes an invalid value.
func behind(v value) value {
	if v.Kind() == reflect.Pointer {
		return v.pointed()
	}
	return v
}

func sameType(elements []value) bool {
	var first value
	for _, e := range elements {
		e = behind(e)
		switch {
		case !e.IsValid():
		case !first.IsValid():
			first = e
		case e.Type() != first.Type() || e.typ != first.typ:
			return false
		}
	}
	return first.IsValid()
}

// visible returns the fields of a struct to show: all if the program itself declares the type, and
// otherwise the exported ones.
func visible(v value) []int {
	t, own := v.Type(), v.own()
	var shown []int
	for i := range t.NumField() {
		if (own || t.Field(i).IsExported()) && v.fieldName(i) != "_" {
			shown = append(shown, i)
		}
	}
	return shown
}

// fields returns one column per field of structs of one type.
func fields(elements []value) []column {
	var columns []column
	for _, e := range elements {
		if e = behind(e); !e.IsValid() {
			continue
		}
		for _, i := range visible(e) {
			c := column{name: e.fieldName(i)}
			for _, e := range elements {
				var f value
				if e = behind(e); e.IsValid() {
					f = e.field(i)
				}
				c.values = append(c.values, f)
				html, _ := drawn(f)
				c.html = append(c.html, html)
			}
			columns = append(columns, c)
		}
		break
	}
	return columns
}

// entries returns one column per key of maps with names as keys.
func entries(elements []value) []column {
	all := map[string]bool{}
	for _, e := range elements {
		if e.IsValid() {
			keys, _ := firstKeys(e.Value, maxSide)
			for _, k := range keys {
				all[k.String()] = true
			}
		}
	}
	names, _ := firstKeys(reflect.ValueOf(all), maxSide)
	columns := make([]column, len(names))
	for k, name := range names {
		columns[k].name = name.String()
		for _, e := range elements {
			var v value
			if e.IsValid() {
				if r := e.MapIndex(name.Convert(e.Type().Key())); r.IsValid() {
					v = e.part(1, r)
				}
			}
			columns[k].values = append(columns[k].values, v)
		}
	}
	return columns
}

// build returns a table of columns beside those that name the rows. A row with an invalid name
// marks omitted rows.
func build(heads []value, head string, columns []column, digits int) *table.Table {
	t := &table.Table{Columns: []table.Column{{Name: head, Head: true}}}
	texts, right := formatted(heads, digits)
	t.Columns[0].Right = right
	t.Rows = make([][]table.Cell, len(heads))
	for i, text := range texts {
		if !heads[i].IsValid() {
			text = gap
		}
		t.Rows[i] = append(t.Rows[i], table.Cell{Text: text})
	}
	for _, c := range columns[:min(len(columns), maxColumns)] {
		texts, right := formatted(c.values, digits)
		for i, v := range c.values {
			if c.single && v.IsValid() && isFloat(v) {
				texts[i] = table.Number(v.Float())
			}
		}
		t.Columns = append(t.Columns, table.Column{Name: c.name, Right: right})
		for i, text := range texts {
			cell := table.Cell{Text: text}
			if !heads[i].IsValid() {
				cell.Text = gap
			}
			if c.html != nil {
				cell.HTML = c.html[i]
			}
			t.Rows[i] = append(t.Rows[i], cell)
		}
	}
	if len(columns) > maxColumns {
		var names []string
		for _, c := range columns[maxColumns:] {
			names = append(names, c.name)
		}
		t.Notes = []string{oneLine(fmt.Sprintf("… and %d more columns: %s", len(names), strings.Join(names, ", ")), 2*maxLine)}
	}
	return t
}

// grid returns a table whose rows and columns are numbered. alike says that the columns hold the
// same kind of values, and get the same digits.
func grid(rows, columns int, alike bool, digits int, at func(i, j int) value) *table.Table {
	ri, ci := shownIndices(rows, maxRows), shownIndices(columns, maxColumns)
	name := func(i int) string {
		if i < 0 {
			return gap
		}
		return strconv.Itoa(i)
	}
	t := &table.Table{Columns: []table.Column{{Head: true, Right: true}}, Rows: make([][]table.Cell, len(ri))}
	for k, i := range ri {
		t.Rows[k] = table.Texts(name(i))
	}
	values := make([][]value, len(ci))
	texts, right := make([][]string, len(ci)), make([]bool, len(ci))
	for l, j := range ci {
		values[l] = make([]value, len(ri))
		for k, i := range ri {
			if i >= 0 && j >= 0 {
				values[l][k] = at(i, j)
			}
		}
		if !alike {
			texts[l], right[l] = formatted(values[l], digits)
		}
	}
	if alike {
		all, side := formatted(slices.Concat(values...), digits)
		for l := range ci {
			texts[l], right[l] = all[l*len(ri):][:len(ri)], side
		}
	}
	for l, j := range ci {
		t.Columns = append(t.Columns, table.Column{Name: name(j), Right: right[l] || j < 0})
		for k, i := range ri {
			text := texts[l][k]
			if i < 0 || j < 0 {
				text = gap
			}
			t.Rows[k] = append(t.Rows[k], table.Cell{Text: text})
		}
	}
	return t
}

// formatted returns the texts of a column, and whether they are aligned to the right.
func formatted(values []value, digits int) (texts []string, right bool) {
	texts = make([]string, len(values))
	right = every(values, measurable)
	if every(values, isFloat) {
		var floats []float64
		for _, v := range values {
			if v.IsValid() {
				floats = append(floats, v.Float())
			}
		}
		numbers := table.Rounded(floats, digits)
		for i, v := range values {
			if v.IsValid() {
				texts[i], numbers = numbers[0], numbers[1:]
			}
		}
		return texts, right
	}
	for i, v := range values {
		switch {
		case !v.IsValid():
		case isFloat(v):
			texts[i] = table.Number(v.Float())
		default:
			texts[i] = brief(v, maxCell)
		}
	}
	return texts, right
}

func isFloat(v value) bool { return v.CanFloat() && !v.speaks() }

// measurable reports whether the value is a number or a duration.
func measurable(v value) bool {
	if v.Type() == reflect.TypeFor[time.Duration]() {
		return true
	}
	return reflect.Int <= v.Kind() && v.Kind() <= reflect.Complex128 && !v.speaks()
}

// drawn returns the drawing of the value for a cell of a table, if it has more than text.
func drawn(v value) (content string, ok bool) {
	x := v.any()
	if x == nil || v.typed == nil && !draws(reflect.TypeOf(x)) || isNilPointer(x) {
		return "", false
	}
	b := &Bundle{Data: map[string]any{}, Metadata: map[string]any{}}
	b.draw(withMethods(x))
	if s, has := b.Data[HTML].(string); has {
		content = s
	} else {
		for _, mime := range []string{SVG, PNG, JPEG} {
			var data []byte
			switch d := b.Data[mime].(type) {
			case string:
				data = []byte(d)
			case []byte:
				data = d
			}
			if len(data) > 0 && len(data) <= maxDrawn {
				content = fmt.Sprintf(`<img style="max-height:12em" src="data:%s;base64,%s" alt="%s">`,
					mime, base64.StdEncoding.EncodeToString(data), html.EscapeString(brief(v, maxCell)))
				break
			}
		}
	}
	if len(content) > maxDrawn {
		content = ""
	}
	return content, content != ""
}

// draws reports whether values of the type, or pointers to them, show more than text.
func draws(t reflect.Type) bool {
	for _, way := range ways[texts:] {
		if t.Implements(way) || t.Kind() == reflect.Struct && reflect.PointerTo(t).Implements(way) {
			return true
		}
	}
	return isKnown(t)
}

// summary returns the count, range and mean of numbers.
func summary(v value) string {
	n := v.Len()
	if k := v.Type().Elem().Kind(); k == reflect.Bool || k >= reflect.Complex64 {
		return fmt.Sprintf("%d values", n)
	}
	const most = 20_000_000
	if n > most {
		return fmt.Sprintf("%d numbers", n)
	}
	least, largest, sum, nan := math.Inf(1), math.Inf(-1), 0.0, 0
	add := func(x float64) {
		if x != x {
			nan++
			return
		}
		least, largest = min(least, x), max(largest, x)
		sum += x
	}
	switch s := v.any().(type) {
	case []float64:
		for _, x := range s {
			add(x)
		}
	case []float32:
		for _, x := range s {
			add(float64(x))
		}
	case []int:
		for _, x := range s {
			add(float64(x))
		}
	default:
		for i := range n {
			switch x := v.Index(i); {
			case x.CanInt():
				add(float64(x.Int()))
			case x.CanUint():
				add(float64(x.Uint()))
			default:
				add(x.Float())
			}
		}
	}
	note := fmt.Sprintf("%d numbers", n)
	if n > nan {
		note += fmt.Sprintf(" from %s to %s, mean %s", table.Number(least), table.Number(largest), table.Number(sum/float64(n-nan)))
	}
	if nan > 0 {
		note += fmt.Sprintf(", %d NaN", nan)
	}
	return note
}
