package taxonomy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hierml/notebook/internal/table"
)

// Faults counts the repaired faults of an input by kind. The zero value has none. A nil *Faults can
// be queried, but not added to.
type Faults struct {
	kinds []Fault
}

// Fault is one kind of fault of an input, with its repair.
type Fault struct {
	Kind   string       // "duplicate edge"
	Repair string       // what was done with each: "left out"
	Count  int          // how many there were
	First  *SyntaxError // the first of them, and its place
}

// Add counts one fault. The repair and the first place of a kind are those of its first fault.
func (f *Faults) Add(kind, repair string, at *SyntaxError) {
	for i := range f.kinds {
		if f.kinds[i].Kind == kind {
			f.kinds[i].Count++
			return
		}
	}
	f.kinds = append(f.kinds, Fault{Kind: kind, Repair: repair, Count: 1, First: at})
}

// Merge adds the counts of other Faults, such as those of further files.
func (f *Faults) Merge(others ...*Faults) {
	for _, other := range others {
		for _, fault := range other.List() {
			i := slices.IndexFunc(f.kinds, func(k Fault) bool { return k.Kind == fault.Kind })
			if i < 0 {
				f.kinds = append(f.kinds, fault)
				continue
			}
			f.kinds[i].Count += fault.Count
		}
	}
}

// List returns the kinds in the order of their first occurrence. The slice is new.
func (f *Faults) List() []Fault {
	if f == nil {
		return nil
	}
	return slices.Clone(f.kinds)
}

// Count returns the number of faults of a kind.
func (f *Faults) Count(kind string) int {
	if f == nil {
		return 0
	}
	for i := range f.kinds {
		if f.kinds[i].Kind == kind {
			return f.kinds[i].Count
		}
	}
	return 0
}

// Total returns the number of faults.
func (f *Faults) Total() int {
	total := 0
	for _, fault := range f.List() {
		total += fault.Count
	}
	return total
}

// String lists the repairs, one line per kind, or "no faults".
func (f *Faults) String() string {
	list := f.List()
	if len(list) == 0 {
		return "no faults\n"
	}
	var b strings.Builder
	for _, fault := range list {
		fmt.Fprintf(&b, "%d × %s, %s", fault.Count, fault.Kind, fault.Repair)
		if fault.First != nil {
			fmt.Fprintf(&b, "; first %v", fault.First)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// HTML returns String as a table.
func (f *Faults) HTML() string {
	list := f.List()
	if len(list) == 0 {
		return "<p>no faults</p>"
	}
	t := table.Table{Columns: []table.Column{{Name: "count", Right: true}, {Name: "fault"}, {Name: "repair"}, {Name: "the first of them"}}}
	for _, fault := range list {
		first := ""
		if fault.First != nil {
			first = fault.First.Error()
		}
		t.Rows = append(t.Rows, table.Texts(fmt.Sprint(fault.Count), fault.Kind, fault.Repair, first))
	}
	return t.HTML()
}
