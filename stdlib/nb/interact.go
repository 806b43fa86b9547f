package nb

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// An Interaction is a function with controls for its parameters. It is already shown, so as the
// value of a cell it shows nothing.
type Interaction struct {
	f      function
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

// named is the model that has the label.
func (in input) named() *model {
	switch c := in.Widget.(type) {
	case *PlayControl:
		return c.slider.model
	case *PointsControl:
		return c.picture
	}
	return in.base()
}

// Interact shows controls for the parameters of a function, calls it, and shows its output and
// results below them. When the user changes a control, it calls the function again.
//
//	nb.Interact(func(lambda float64, method string) any {
//		model := train(nb.Context(), lambda, method) // a model and an error
//		return plotOf(model)
//	}, nb.LogSlider(1e-4, 10, 0.1), []string{"flat", "normalized"})
//
// There is one control per parameter, in order: a widget such as [Slider] or [Points], or a plain
// value that determines one:
//
//	nil, or none          a slider from 0 to 1, one from 0 to 10, a field, a box
//	0.1                   the value to start with: a slider from 0 to twice it
//	[2]float64{0, 5}      a slider between them, and so for [2]int
//	"text", true          what to start with
//	[]string{"a", "b"}    a choice of elements, which may be of any type
//	map[string]T{"a": v}  a choice of values by their names
//
// The elements of a slice are named by their method String or their field Name, otherwise by their
// type and index.
//
// Each control is labelled with the name of its parameter. There may be any number of results of
// any type; a final result of type error is not shown if it is nil.
//
// The function is called when the controls have been still for a moment. A previous call that is
// still running is interrupted through [Context], so pass nb.Context() to long computations. The
// function runs like a cell, and not while a cell runs. An error or a panic is shown instead of the
// results, and the next change tries again; an error of the first call is an error of the cell.
//
// The first result is part of the cell's output, so it is also shown where there are no controls:
// on GitHub and in exported pages. If there is no user, as in scripts and in hierml notebook run,
// it is the only result, below a line with the values of the controls.
func Interact(f any, controls ...any) *Interaction { return InteractLabelled(nil, f, controls...) }

// InteractLabelled is [Interact] with labels for the controls instead of the names of the
// parameters, which are known in a notebook but not in a compiled program.
func InteractLabelled(labels []string, f any, controls ...any) *Interaction {
	i, err := newInteraction(labels, f, controls)
	must("nb.Interact", err)
	id, err := i.box.open()
	if errors.Is(err, ErrNoFrontEnd) {
		if line := strings.Join(i.standing(), ", "); line != "" {
			Text(line)
		}
		i.run(context.Background(), display.Of)
		return i
	}
	must("nb.Interact", err)
	i.begin(id)
	return i
}

// standing describes the values of the controls.
func (i *Interaction) standing() []string {
	var all []string
	for _, in := range i.inputs {
		all = append(all, texts([]Widget{in.Widget}))
	}
	return all
}

// Close removes the controls and the output below them.
func (i *Interaction) Close() error {
	i.mu.Lock()
	if i.stop != nil {
		i.outdated = true
		i.stop()
	}
	i.mu.Unlock()
	return i.box.Close()
}

// MimeBundle returns nothing, because an interaction is already shown.
func (i *Interaction) MimeBundle() map[string]any { return nil }

func newInteraction(labels []string, f any, controls []any) (*Interaction, error) {
	call, err := functionOf(f)
	if err != nil {
		return nil, err
	}
	i := &Interaction{f: call, out: Output()}
	n := call.Type().NumIn()
	if len(controls) > n {
		return nil, fmt.Errorf("there %s for %s", are(len(controls), "control"), counted(n, "parameter"))
	}
	room := 0
	for p := range n {
		var control any
		if p < len(controls) {
			control = controls[p]
		}
		label := fmt.Sprintf("%s %d", call.in(p), p+1)
		if p < len(labels) && labels[p] != "" {
			label = labels[p]
		}
		in, err := newInput(call.in(p), control)
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", label, err)
		}
		in.named().labelled(label, 0)
		room = max(room, len([]rune(in.named().label())))
		if c, plays := in.Widget.(*PlayControl); plays {
			c.busy = i.busy
		}
		in.watch(i.changed)
		i.inputs = append(i.inputs, in)
	}
	var children []any
	for _, in := range i.inputs {
		in.named().labelled("", min(max(room, 6)+2, 40))
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
	// Show that a long call is running.
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
	i.out.Run(func() { i.run(Context(), display.Of) })
}

// showControls is how long the first run may take before the controls are shown.
const showControls = 500 * time.Millisecond

// run calls the function with the values of the controls, and shows its results with show, unless
// ctx is cancelled.
func (i *Interaction) run(ctx context.Context, show func(values ...any) *display.Bundle) {
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
	for r, v := range results {
		if b := show(i.f.result(r, v)); b != nil {
			host.Current().Display(b, "", false)
		}
	}
}

// How long the controls must be still before the function is called again, and the maximum delay.
const (
	rest = 50 * time.Millisecond
	most = 200 * time.Millisecond
)

// busy tells whether the function runs, or is to run for what has changed.
func (i *Interaction) busy() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.settling || i.asked || i.stop != nil
}

// changed records that the user changed a control.
func (i *Interaction) changed() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.last = time.Now()
	if !i.settling {
		i.settling, i.first = true, i.last
		go i.settle()
	}
}

// settle waits until the controls are still, and runs the function again.
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
		i.run(Context(), display.OnScreen) // which only a page sees: the cell's output has the first result
	}()
	if Context().Err() == nil {
		i.out.sink.finish()
	}
}

// failed shows the error of a run.
func (i *Interaction) failed(f host.Failed) {
	i.mu.Lock()
	outdated := i.outdated
	i.mu.Unlock()
	if !outdated {
		i.out.sink.fail(f)
	}
}

// newInput creates the control of a parameter.
func newInput(t parameter, control any) (input, error) {
	var w Widget
	kind := t.t.Kind()
	switch c := control.(type) {
	case Widget:
		w = c
	case [2]float64:
		if err := between(c[0], c[1], c[0]); err != nil {
			return input{}, err
		}
		w = Slider(c[0], c[1], c[0]+(c[1]-c[0])/2)
	case [2]int:
		if isFloat(kind) {
			return newInput(t, [2]float64{float64(c[0]), float64(c[1])})
		}
		if err := between(c[0], c[1], c[0]); err != nil {
			return input{}, err
		}
		w = IntSlider(c[0], c[1], c[0]+(c[1]-c[0])/2)
	case nil:
		w = standard(t.t)
	default:
		v, _ := typed(control)
		switch {
		case v.Kind() == reflect.Slice || v.Kind() == reflect.Map:
			return choice(t, control)
		case isNumber(v.Kind()) == isNumber(kind) && v.CanConvert(t.t):
			w = starting(v.Convert(t.t))
		}
	}
	switch c := w.(type) {
	case *FloatControl:
		return inputOf(w, t, c.control.get, c.watch)
	case *IntControl:
		return inputOf(w, t, c.control.get, c.watch)
	case *PlayControl:
		return inputOf(w, t, c.slider.get, c.slider.watch)
	case *PointsControl:
		return inputOf(w, t, c.Value, c.moves.watch)
	case *BoolControl:
		return inputOf(w, t, c.control.get, c.watch)
	case *TextControl:
		return inputOf(w, t, c.control.get, c.watch)
	case nil:
		if control == nil {
			return input{}, fmt.Errorf("%s has no default control; %s", t, t.remedy())
		}
		return input{}, fmt.Errorf("%s is not a control for %s; %s", withArticle(typeOf(control)), withArticle(t.String()), t.remedy())
	}
	return input{}, fmt.Errorf("%T has no value", control)
}

// remedy names the possible controls for the parameter.
func (p parameter) remedy() string {
	kind := p.t.Kind()
	switch {
	case isFloat(kind):
		return "use nb.Slider or a number"
	case isNumber(kind):
		return "use nb.IntSlider, nb.Play or a whole number"
	case kind == reflect.Bool:
		return "use nb.Checkbox or true"
	case kind == reflect.String:
		return "use nb.TextInput, or a choice: []string{…}"
	}
	return fmt.Sprintf("pass a choice: []%s{…} or map[string]%s{…}", p, p)
}

// standard returns the default control of a parameter of type t, or nil if there is none.
func standard(t reflect.Type) Widget {
	switch {
	case isFloat(t.Kind()):
		return Slider(0, 1, 0.5)
	case isNumber(t.Kind()):
		return IntSlider(0, 10, 5)
	}
	return starting(reflect.Zero(t))
}

// starting returns a control that starts with a value, which is not infinite; nil if there is none.
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

// choice creates the control of a parameter whose values are the elements of a slice or a map.
func choice(t parameter, from any) (input, error) {
	names, elements, err := elementsOf(from)
	if err != nil {
		return input{}, err
	}
	if len(names) == 0 {
		return input{}, errors.New("the list of choices is empty")
	}
	values := map[string]reflect.Value{}
	for j, x := range elements {
		v, err := t.convert(x)
		if err != nil {
			return input{}, err
		}
		if _, taken := values[names[j]]; taken {
			names[j] = fmt.Sprintf("%s (%d)", names[j], j+1)
		}
		values[names[j]] = v
	}
	list := Dropdown(names)
	return input{list, func() reflect.Value { return values[list.Value()] }, list.watch}, nil
}

// inputOf returns an input for a control with the value of get.
func inputOf[T any](w Widget, p parameter, get func() T, watch func(func())) (input, error) {
	from, t := reflect.TypeFor[T](), p.t
	switch {
	case t.Kind() == from.Kind():
	case from.Kind() == reflect.Int && isNumber(t.Kind()):
	case isFloat(from.Kind()) && isFloat(t.Kind()):
	case from.AssignableTo(t) && (p.typ == nil || p.typ.Takes(get())):
		return input{w, func() reflect.Value { return reflect.ValueOf(get()) }, watch}, nil
	default:
		return input{}, fmt.Errorf("the control has %s, and the parameter needs %s; %s", withArticle(from.String()), withArticle(p.String()), p.remedy())
	}
	return input{w, func() reflect.Value { return reflect.ValueOf(get()).Convert(t) }, watch}, nil
}
