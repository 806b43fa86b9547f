package compiled

import (
	"fmt"
	"go/token"
	"maps"
	"reflect"
	"strings"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
	"github.com/hierml/notebook/stdlib/host"
)

// runtimeError describes a panic of the task's own goroutine. Call it in the deferred function that
// has recovered the panic.
func (r *Runner) runtimeError(t *task, value any) error {
	t.mu.Lock()
	left := t.left
	t.mu.Unlock()
	if err, ok := value.(error); ok && left != nil && same(err, left.err) {
		return program.NewRuntimeError(errorName(err), errorText(err), left.at)
	}
	return r.describe(t.cell, value)
}

// describe describes a panic of the calling goroutine. Call it while the calls that the panic
// passed still exist.
func (r *Runner) describe(number int, value any) *program.RuntimeError {
	if status, ok := value.(stdlib.Exit); ok {
		return program.Exited(int(status))
	}
	r.mu.Lock()
	files := maps.Clone(r.files)
	r.mu.Unlock()
	frames := calls(value, files)
	if len(frames) == 0 && number > 0 {
		frames = []program.Frame{{Cell: number}}
	}
	if failure, ok := value.(host.Failure); ok {
		return program.NewRuntimeError("error", failure.Error(), frames...)
	}
	if err, ok := value.(noInput); ok {
		return program.NewRuntimeError("panic", err.Error(), frames...)
	}
	if err, ok := value.(error); ok {
		if failed, ok := program.Demanded(errorName(err), errorText(err), frames); ok {
			return failed
		}
	}
	return program.NewRuntimeError("panic", panicMessage(value), frames...)
}

// same reports whether two values are identical.
func same(a, b any) bool {
	return a != nil && b != nil && reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.ValueOf(a).Comparable() && a == b
}

// errorText returns the text of an error, or fmt's text if its method panics.
func errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprint(err)
		}
	}()
	return err.Error()
}

// errorName returns the user's name for the type of an error. An unexported type of a package is
// just an error; types of the session are never private to the user.
func errorName(err error) string {
	name := reflect.TypeOf(err).String()
	if strings.HasPrefix(strings.TrimLeft(name, "*"), "main.") {
		return strings.ReplaceAll(name, "main.", "")
	}
	if token.IsExported(name[strings.LastIndexByte(name, '.')+1:]) {
		return name
	}
	return "error"
}

// panicText words the value of a panic as the Go run time prints it, except that it shows values
// instead of addresses.
func panicText(v any) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("(%T), whose method panicked: %v", v, r)
		}
		text = strings.ReplaceAll(text, "\n", "\n\t")
	}()
	switch v := v.(type) {
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	}
	value := reflect.ValueOf(v)
	basic := basicText(value)
	switch {
	case value.Kind() == reflect.String && value.Type().PkgPath() != "":
		return fmt.Sprintf(`%T("%s")`, v, basic)
	case value.Kind() != reflect.String && basic == "":
		return fmt.Sprintf("(%T) %+v", v, v)
	case value.Type().PkgPath() == "":
		return basic
	case value.CanComplex():
		return fmt.Sprintf("%T%s", v, basic)
	}
	return fmt.Sprintf("%T(%s)", v, basic)
}
