// Command host loads plugins and runs their units, for the tests of package
// toolchain. It stands here because it imports package cell, which only what is
// below kernel may. Each argument is FILE=UNIT.
package main

import (
	_ "context"
	_ "encoding/gob"
	_ "encoding/json"
	"fmt"
	"os"
	"plugin"
	"runtime/debug"
	_ "slices"
	"strings"

	_ "gonum.org/v1/gonum/mat"
	_ "gonum.org/v1/plot/plotter"
	_ "gonum.org/v1/plot/vg/vgsvg"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
)

func main() {
	for _, arg := range os.Args[1:] {
		if err := load(arg); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func open(file string) error {
	_, err := plugin.Open(file)
	return err
}

func load(arg string) error {
	file, unit, _ := strings.Cut(arg, "=")
	if err := cell.Open(file, open); err != nil {
		return err
	}
	code, ok := cell.Lookup(unit)
	if !ok {
		return fmt.Errorf("%s is not registered", unit)
	}
	defer func() {
		if wrong := recover(); wrong != nil {
			fmt.Printf("panic: %v\n%s", wrong, debug.Stack())
		}
	}()
	code.Run()
	return nil
}
