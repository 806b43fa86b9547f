package toolchain

import (
	"context"
	"errors"
)

// TrialUnit is the path of the unit that a trial plugin registers: its Run panics if the plugin
// does not do what it should.
const TrialUnit = Prefix + "trial/2"

// trialUnits use what the changed compiler and linker are for: unexported names of another package,
// and the names that the run time has for what is compiled.
var trialUnits = []Unit{
	{Path: Prefix + "trial/1", Source: `package main

type point struct{ x, y int }

func (p *point) move(by int) { p.x += by }

type mover interface{ move(int) }

var first any = struct{ x int }{1}
`},
	{Path: TrialUnit, Source: `package main

import (
	"fmt"
	"reflect"
	"runtime"

	earlier "cell/trial/1"
	"github.com/hierml/notebook/kernel/internal/compiled/cell"
)

type circle struct {
	r int
	earlier.point
}

func try() {
	c := circle{1, earlier.point{x: 2, y: 3}}
	var m earlier.mover = &c
	m.move(40)
	_, same := earlier.first.(struct{ x int })
	pc, _, _, _ := runtime.Caller(0)
	name := runtime.FuncForPC(pc).Name()
	if got := fmt.Sprintf("%T %+v %v %s %s", c.point, c, same, reflect.TypeOf(c).PkgPath(), name); got != "main.point {r:1 point:{x:42 y:3}} true main main.try" {
		panic(got)
	}
}

func init() { cell.Register("cell/trial/2", cell.Code{Run: try}) }
`},
}

// Trial builds a plugin of two units, and calls use with its file, for the program to load and run:
// that shows that the kit and the program match.
func (k *Kit) Trial(ctx context.Context, use func(plugin string) error) (err error) {
	b, err := k.NewBuilder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	plugin, err := b.Build(ctx, trialUnits)
	if err != nil {
		return err
	}
	return use(plugin)
}

// tryBuild builds the trial plugin.
func (k *Kit) tryBuild(ctx context.Context) error {
	return k.Trial(ctx, func(string) error { return nil })
}
