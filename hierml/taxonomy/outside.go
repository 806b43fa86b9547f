package taxonomy

import "fmt"

// A noNode is what methods panic with that are asked about a node which is not there, or about no
// taxonomy at all. It is worded when somebody reads it, so that the methods stay small.
type noNode struct {
	t    *Taxonomy
	node int
}

func (e noNode) Error() string {
	switch {
	case e.t == nil:
		return "taxonomy: there is no taxonomy: it is nil, as the result of a function that returned an error is"
	case len(e.t.names) == 0:
		return fmt.Sprintf("taxonomy: there is no node %d; the taxonomy has no nodes", e.node)
	}
	return fmt.Sprintf("taxonomy: there is no node %d; the taxonomy has the nodes 0 to %d", e.node, len(e.t.names)-1)
}

// ErrNone is what functions fail with that are given no taxonomy.
var ErrNone error = noNode{}

// given returns t. It panics if there is none.
func (t *Taxonomy) given() *Taxonomy {
	if t == nil {
		panic(noNode{})
	}
	return t
}

// mustHave panics if there is no node n.
func (t *Taxonomy) mustHave(n int) {
	if t == nil || uint(n) >= uint(len(t.names)) {
		panic(noNode{t, n})
	}
}
