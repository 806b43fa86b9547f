package labelset_test

import (
	"fmt"

	"github.com/hierml/notebook/hierml/labelset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func ExampleSearcher_Best() {
	t, err := taxonomy.New(
		[]string{"animal", "bird", "fish", "owl", "duck", "swimmer"},
		[][2]int{{0, 1}, {0, 2}, {1, 3}, {1, 4}, {5, 2}, {5, 4}})
	if err != nil {
		fmt.Println(err)
		return
	}
	space, err := labelset.New(t)
	if err != nil {
		fmt.Println(err)
		return
	}
	// A duck is a bird and a swimmer, and needs both.
	best, err := space.NewSearcher().Best([]float64{0.1, 0.4, -1, 0.2, 0.5, -0.3})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range best.Leaves {
		fmt.Println(t.Name(n))
	}
	fmt.Printf("%.1f\n", best.Value)
	// Output:
	// owl
	// duck
	// 0.9
}

func ExampleClosed_Best() {
	t, err := taxonomy.New(
		[]string{"animal", "bird", "fish", "owl", "duck", "swimmer"},
		[][2]int{{0, 1}, {0, 2}, {1, 3}, {1, 4}, {5, 2}, {5, 4}})
	if err != nil {
		fmt.Println(err)
		return
	}
	space, err := labelset.New(t)
	if err != nil {
		fmt.Println(err)
		return
	}
	// Some bird: neither owl nor duck, which needs a swimmer too, adds anything.
	nodes, value, err := space.NewClosed().Best([]float64{0.1, 0.4, -1, -0.2, 0.2, -0.3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v %.1f\n", t.NamesOf(nodes...), value)
	// Output: [animal bird] 0.5
}
