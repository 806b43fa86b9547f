package carry

import (
	"fmt"
	"strings"
)

// A place is a position in a variable, in the user's notation. Nil is the variable itself.
type place struct {
	in   *place
	name string // of a field
	i    int    // an index, if there is no name
}

// maxPath bounds the length of a formatted place.
const maxPath = 12

func (p *place) field(name string) *place { return &place{in: p, name: "." + name} }

func (p *place) index(i int) *place { return &place{in: p, i: i} }

func (p *place) entry(key string) *place { return &place{in: p, name: "[" + key + "]"} }

// of formats the place in a variable.
func (p *place) of(variable string) string {
	var steps []string
	for ; p != nil; p = p.in {
		if p.name != "" {
			steps = append(steps, p.name)
		} else {
			steps = append(steps, fmt.Sprintf("[%d]", p.i))
		}
	}
	var b strings.Builder
	b.WriteString(variable)
	for i := len(steps) - 1; i >= 0; i-- {
		if len(steps)-1-i == maxPath {
			b.WriteString("...")
			break
		}
		b.WriteString(steps[i])
	}
	return b.String()
}

// lose records the loss of the value at a place.
func (m *mover) lose(at *place, why string) {
	v := m.variable
	if n := len(m.lost); n > 0 && m.lost[n-1].Key == v.Key() {
		m.lost[n-1].More++
		return
	}
	m.lost = append(m.lost, Lost{Name: v.Name, Key: v.Key(), Path: at.of(v.Name), Why: why})
}
