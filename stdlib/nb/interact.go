package nb

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// An Interaction is a function with controls for its parameters. As the value of
// a cell it shows nothing more.
type Interaction struct {
	f      reflect.Value
	inputs []input
	out    *OutputArea
	box    *Box

	mu       sync.Mutex
	last     time.Time // when a control was changed
	first    time.Time // when the first was since the function was to run again
	settling bool      // settle runs
	asked    bool      // a run waits for its turn
	stop     func()    // interrupts the run; nil if none runs
	outdated bool      // the run was interrupted for the next
}

// An input is the control of a parameter.
type input struct {
	Widget
	value func() reflect.Value
	watch func(changed func())
}

// Interact shows controls for the parameters of a function, calls it, and shows
// below them what it writes, shows and returns. When the user changes a control,
// the function is called again.
//
//	nb.Interact(func(lambda float64, method string) any {
//		return plotOf(train(nb.Context(), lambda, method))
//	}, nb.LogSlider(1e-4, 10, 0.1), []string{"flat", "normalized"})
//
// The controls are those of the parameters in their order, each a widget such as
// [Slider] or a plain value that says which:
//
//	nil, or none          a slider from 0 to 1, one from 0 to 10, a field, a box
//	0.1                   the value to start with: a slider from 0 to twice it
//	[2]float64{0, 5}      a slider between them, and so for [2]int
//	"text", true          what to start with
//	[]string{"a", "b"}    a choice of elements, which may be of any type
//	map[string]T{"a": v}  a choice of values by their names
//
// Each is labelled with the name of its parameter. The results may be of any
// types and number; a last one of type error is not shown if it is nil.
//
// The function is called when the controls have rested for a moment, and the run
// before, if it has not ended, is interrupted: [Context] ends, so what takes its
// time should be given nb.Context(). It runs as a cell does, and not while one
// runs. An error or a panic is shown in place of the results, and the next change
// tries again; that of the first run is the cell's own.
//
// The first result is part of the cell's output, also as what is shown where
// there are no controls: on GitHub and in pages made of the notebook. Where nobody
// can move a control, as in scripts and in hierml notebook run, that is all.
func Interact(f any, controls ...any) *Interaction { return InteractLabelled(nil, f, controls...) }

// InteractLabelled is [Interact] with labels for the controls in place of the
// names of the parameters, which a notebook knows and a compiled program does not.
func InteractLabelled(labels []string, f any, controls ...any) *Interaction {
	i, err := newInteraction(labels, f, controls)
	must("nb.Interact", err)
	id, err := i.box.open()
	if errors.Is(err, ErrNoFrontEnd) {
		i.run(context.Background())
		return i
	}
	must("nb.Interact", err)
	i.begin(id)
	return i
}

// Close takes the controls away, and what is shown below them.
func (i *Interaction) Close() error {
	i.mu.Lock()
	if i.stop != nil {
		i.outdated = true
		i.stop()
	}
	i.mu.Unlock()
	return i.box.Close()
}

// MimeBundle returns nothing: an interaction has been shown already.
func (i *Interaction) MimeBundle() map[string]any { return nil }

func newInteraction(labels []string, f any, controls []any) (*Interaction, error) {
	i := &Interaction{f: reflect.ValueOf(f), out: Output()}
	if i.f.Kind() != reflect.Func || i.f.IsNil() {
		return nil, fmt.Errorf("%T is not a function", f)
	}
	t := i.f.Type()
	if t.IsVariadic() {
		return nil, errors.New("the function takes any number of arguments")
	}
	if len(controls) > t.NumIn() {
		return nil, fmt.Errorf("there are %d controls for %d parameters", len(controls), t.NumIn())
	}
	room := 0
	for p := range t.NumIn() {
		var control any
		if p < len(controls) {
			control = controls[p]
		}
		label := fmt.Sprintf("%s %d", t.In(p), p+1)
		if p < len(labels) && labels[p] != "" {
			label = labels[p]
		}
		in, err := newInput(t.In(p), control)
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", label, err)
		}
		in.base().labelled(label, 0)
		room = max(room, len([]rune(in.base().label())))
		in.watch(i.changed)
		i.inputs = append(i.inputs, in)
	}
	var children []any
	for _, in := range i.inputs {
		in.base().labelled("", min(max(room, 6)+2, 40))
		children = append(children, in.Widget)
	}
	i.box = VBox(append(children, i.out)...)
	return i, nil
}

// begin shows the controls and runs the function for the first time, in the cell.
func (i *Interaction) begin(id string) {
	handle := rand.Text()
	bundle := func() *display.Bundle {
		data := i.out.still()
		data[display.Text] = texts(i.box.children)
		data[viewType] = map[string]any{"version_major": 2, "version_minor": 0, "model_id": id}
		return &display.Bundle{Data: data}
	}
	// A function that takes its time is seen to run.
	place := host.Current().Here()
	var once sync.Once
	early := false
	timer := time.AfterFunc(showControls, func() {
		once.Do(func() {
			early = true
			place.Display(bundle(), handle, false)
		})
	})
	defer func() {
		timer.Stop()
		once.Do(func() {})
		host.Current().Display(bundle(), handle, early)
	}()
	i.out.Run(func() { i.run(Context()) })
}

// showControls is how long the first run may take before the controls are shown.
const showControls = 500 * time.Millisecond

// run calls the function with the values of the controls, and shows what it
// returns unless ctx has ended.
func (i *Interaction) run(ctx context.Context) {
	arguments := make([]reflect.Value, len(i.inputs))
	for p, in := range i.inputs {
		arguments[p] = in.value()
	}
	results := i.f.Call(arguments)
	if ctx.Err() != nil {
		return // an interrupted function may return anything
	}
	if n := len(results); n > 0 && results[n-1].Type() == reflect.TypeFor[error]() {
		if err, ok := results[n-1].Interface().(error); ok && err != nil {
			panic(host.Failure{Err: err})
		}
		results = results[:n-1]
	}
	for _, r := range results {
		if b := display.Of(r.Interface()); b != nil {
			host.Current().Display(b, "", false)
		}
	}
}

// How long the controls rest before the function is called again, and how long
// it waits for that at most.
const (
	rest = 50 * time.Millisecond
	most = 200 * time.Millisecond
)

// changed notes that the user has changed a control.
func (i *Interaction) changed() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.last = time.Now()
	if !i.settling {
		i.settling, i.first = true, i.last
		go i.settle()
	}
}

// settle waits until the controls rest, and has the function run again.
func (i *Interaction) settle() {
	for {
		i.mu.Lock()
		due := i.last.Add(rest)
		if latest := i.first.Add(most); latest.Before(due) {
			due = latest
		}
		wait := time.Until(due)
		if wait > 0 {
			i.mu.Unlock()
			time.Sleep(wait)
			continue
		}
		i.settling = false
		if i.stop != nil {
			i.outdated = true
			i.stop()
		}
		ask := !i.asked
		i.asked = true
		i.mu.Unlock()
		if ask {
			i.ask()
		}
		return
	}
}

// ask has the function run in its turn.
func (i *Interaction) ask() {
	m := i.out.model
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.comm != nil {
		m.post(task{i.again, i.failed})
	}
}

// again runs the function in its turn.
func (i *Interaction) again() {
	i.mu.Lock()
	i.asked, i.outdated = false, false
	i.stop = host.Current().Interrupter()
	i.mu.Unlock()
	defer func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.stop = nil
	}()
	i.out.sink.restart()
	func() {
		defer host.Current().Capture(i.out.sink)()
		i.run(Context())
	}()
	if Context().Err() == nil {
		i.out.sink.finish()
	}
}

// failed shows how a run has failed.
func (i *Interaction) failed(f host.Failed) {
	i.mu.Lock()
	outdated := i.outdated
	i.mu.Unlock()
	if !outdated {
		i.out.sink.fail(f)
	}
}

// newInput makes the control of a parameter of type t.
func newInput(t reflect.Type, control any) (input, error) {
	var w Widget
	switch c := control.(type) {
	case Widget:
		w = c
	case [2]float64:
		if err := between(c[0], c[1], c[0]); err != nil {
			return input{}, err
		}
		w = Slider(c[0], c[1], c[0]+(c[1]-c[0])/2)
	case [2]int:
		if isFloat(t.Kind()) {
			return newInput(t, [2]float64{float64(c[0]), float64(c[1])})
		}
		if err := between(c[0], c[1], c[0]); err != nil {
			return input{}, err
		}
		w = IntSlider(c[0], c[1], c[0]+(c[1]-c[0])/2)
	case nil:
		w = standard(t)
	default:
		v := reflect.ValueOf(control)
		switch {
		case v.Kind() == reflect.Slice || v.Kind() == reflect.Map:
			return choice(t, v)
		case isNumber(v.Kind()) == isNumber(t.Kind()) && v.CanConvert(t):
			w = starting(v.Convert(t))
		}
	}
	if w == nil {
		if control == nil {
			return input{}, fmt.Errorf("there is no control for a %s but a choice of values", t)
		}
		return input{}, fmt.Errorf("a %T is no control for a %s", control, t)
	}
	switch c := w.(type) {
	case *FloatControl:
		return inputOf(w, t, c.control.get, c.watch)
	case *IntControl:
		return inputOf(w, t, c.control.get, c.watch)
	case *BoolControl:
		return inputOf(w, t, c.control.get, c.watch)
	case *TextControl:
		return inputOf(w, t, c.control.get, c.watch)
	}
	return input{}, fmt.Errorf("%T has no value", control)
}

// standard returns the control of a parameter of type t when nothing else is
// wanted; nil if there is none.
func standard(t reflect.Type) Widget {
	switch {
	case isFloat(t.Kind()):
		return Slider(0, 1, 0.5)
	case isNumber(t.Kind()):
		return IntSlider(0, 10, 5)
	}
	return starting(reflect.Zero(t))
}

// starting returns a control that starts with a value, which is not infinite; nil
// if there is none.
func starting(v reflect.Value) Widget {
	switch {
	case isFloat(v.Kind()):
		x := v.Float()
		if x == 0 || math.IsNaN(2*x) || math.IsInf(2*x, 0) {
			return Slider(0, 1, 0)
		}
		return Slider(min(0, 2*x), max(0, 2*x), x)
	case isNumber(v.Kind()):
		n := int(v.Convert(reflect.TypeFor[int]()).Int())
		if n == 0 || n != n*2/2 {
			return IntSlider(0, 10, 0)
		}
		return IntSlider(min(0, 2*n), max(0, 2*n), n)
	case v.Kind() == reflect.Bool:
		return Checkbox(v.Bool())
	case v.Kind() == reflect.String:
		return TextInput(v.String())
	}
	return nil
}

func isFloat(k reflect.Kind) bool { return k == reflect.Float64 || k == reflect.Float32 }

func isNumber(k reflect.Kind) bool {
	return isFloat(k) || k >= reflect.Int && k <= reflect.Uint64
}

// choice makes the control of a parameter of type t whose values are the elements
// of a slice or a map.
func choice(t reflect.Type, from reflect.Value) (input, error) {
	var names []string
	values := map[string]reflect.Value{}
	add := func(name string, v reflect.Value) error {
		if v.Kind() == reflect.Interface && !v.IsNil() {
			v = v.Elem()
		}
		switch {
		case v.Type().AssignableTo(t):
		case v.Kind() == t.Kind() || isNumber(v.Kind()) && isFloat(t.Kind()):
			if !v.CanConvert(t) {
				return fmt.Errorf("%s is not a %s", v.Type(), t)
			}
			v = v.Convert(t)
		default:
			return fmt.Errorf("%s is not a %s", v.Type(), t)
		}
		if _, taken := values[name]; taken {
			name = fmt.Sprintf("%s (%d)", name, len(names)+1)
		}
		names = append(names, name)
		values[name] = v
		return nil
	}
	if from.Kind() == reflect.Slice {
		for j := range from.Len() {
			if err := add(nameOf(from.Index(j)), from.Index(j)); err != nil {
				return input{}, err
			}
		}
	} else {
		if from.Type().Key().Kind() != reflect.String {
			return input{}, fmt.Errorf("%s has no names for its values", from.Type())
		}
		keys := from.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			if err := add(key.String(), from.MapIndex(key)); err != nil {
				return input{}, err
			}
		}
	}
	if len(names) == 0 {
		return input{}, errors.New("there is nothing to choose from")
	}
	list := Dropdown(names)
	return input{list, func() reflect.Value { return values[list.Value()] }, list.watch}, nil
}

// nameOf is what an element of a slice is called in a list: what it says of
// itself, or its type.
func nameOf(v reflect.Value) string {
	if v.Kind() == reflect.Interface && !v.IsNil() {
		v = v.Elem()
	}
	_, says := v.Interface().(fmt.Stringer)
	if says || isNumber(v.Kind()) || v.Kind() == reflect.Bool || v.Kind() == reflect.String {
		return fmt.Sprint(v.Interface())
	}
	return v.Type().String()
}

// inputOf makes an input of a control with the value of get.
func inputOf[T any](w Widget, t reflect.Type, get func() T, watch func(func())) (input, error) {
	from := reflect.TypeFor[T]()
	switch {
	case t.Kind() == from.Kind():
	case from.Kind() == reflect.Int && isNumber(t.Kind()):
	case isFloat(from.Kind()) && isFloat(t.Kind()):
	case from.AssignableTo(t):
		return input{w, func() reflect.Value { return reflect.ValueOf(get()) }, watch}, nil
	default:
		return input{}, fmt.Errorf("the control has a %s, and a %s is wanted", from, t)
	}
	return input{w, func() reflect.Value { return reflect.ValueOf(get()).Convert(t) }, watch}, nil
}
