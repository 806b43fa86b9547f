package interpreted

import (
	"fmt"
	"go/token"
	"reflect"
	"strings"

	"github.com/hierml/notebook/kernel/internal/interpreted/values"
	"github.com/hierml/notebook/kernel/internal/program"
)

// A stopped is the panic of a cell that leaves out an error which is not nil.
type stopped struct {
	err  error
	text string
	at   program.Frame
}

// stop ends a cell if an error is not nil.
func stop(err error, cell, line, column int) {
	if err != nil {
		panic(&stopped{err, errorText(err), program.Frame{Cell: cell, Line: line, Column: column}})
	}
}

// errorText is what an error says; of one that fails to, what fmt prints.
func errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprint(err)
		}
	}()
	return err.Error()
}

// errorName is the type of an error as the user knows it. What its package keeps private is just an
// error.
func errorName(err error) string {
	name := reflect.TypeOf(err).String()
	if c, ok := values.Carried(err); ok {
		return strings.ReplaceAll(c.Description.Name, "main.", "")
	}
	if token.IsExported(name[strings.LastIndexByte(name, '.')+1:]) {
		return name
	}
	return "error"
}
