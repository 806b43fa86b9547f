package interpreted

import (
	"github.com/hierml/notebook/kernel/internal/interpreted/values"
	"reflect"
	"runtime"
)

// selects carries out a select statement of which each clause is a letter: d is the default, r
// receives from the next operand, and s sends to it the one after it. It returns the number of the
// clause that was chosen, and what that received. When the cell is stopped the goroutine ends.
func (in *Interpreter) selects(kinds string, operands ...any) (chosen int, value any, ok bool) {
	cases := make([]reflect.SelectCase, 0, len(kinds)+1)
	for _, kind := range kinds {
		c := reflect.SelectCase{Dir: reflect.SelectDefault}
		if kind != 'd' {
			c.Dir, c.Chan = reflect.SelectRecv, reflect.ValueOf(operands[0])
			operands = operands[1:]
		}
		if kind == 's' {
			c.Dir = reflect.SelectSend
			if c.Chan.IsValid() {
				c.Send = reflect.New(c.Chan.Type().Elem()).Elem()
				values.Get(operands[0], c.Send.Addr().Interface())
			}
			operands = operands[1:]
		}
		cases = append(cases, c)
	}
	cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(in.control.done)})
	chosen, received, ok := reflect.Select(cases)
	if chosen == len(kinds) {
		runtime.Goexit()
	}
	if received.IsValid() {
		value = received.Interface()
	}
	return chosen, value, ok
}
