package nb

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// A Widget is something that the front end draws and keeps in sync with the cells: a control, a row
// of them, an area for output. Show it like other values, with [Display] or as the last value of a
// cell, any number of times: all views show the same state, also after the page is reloaded. It
// exists until Close, or until the process that runs the cells ends: after a restart the page still
// shows it, but it has no effect.
//
// The front end needs Jupyter's own widgets (the Python package ipywidgets), which come with the
// JupyterLab that hierml installs and with VS Code. Where they are missing, in files viewed
// elsewhere and in scripts and terminals, a widget is shown in its current state: as text, or as
// the picture in its output.
type Widget interface {
	// MimeBundle returns the MIME bundle of the widget.
	MimeBundle() (map[string]any, error)
	// Close removes the widget, and those in it, from the front end, which frees their memory. If
	// it is shown again, it is a new one there.
	Close() error

	base() *model
}

// The versions of the parts of a widget, as in ipywidgets 8.
const (
	protocolVersion = "2.1.0"
	widgetTarget    = "jupyter.widget"
	viewType        = "application/vnd.jupyter.widget-view+json"
)

// The JavaScript modules of the widgets.
var (
	baseModule     = module{"@jupyter-widgets/base", "2.0.0"}
	controlsModule = module{"@jupyter-widgets/controls", "2.0.0"}
	outputModule   = module{"@jupyter-widgets/output", "1.0.0"}
)

type module struct{ name, version string }

// A model is the kernel side of a widget model in the front end.
type model struct {
	name string // such as IntSlider
	module
	// style holds the properties of the model's style, whose name is in styleName; empty for models
	// that have none.
	styleName string
	style     map[string]any
	width     string // of the layout, as CSS has it; empty for the usual one
	hidden    bool

	// The other models that the state refers to.
	children []Widget
	// still returns how the widget is shown without the front end's help.
	still func() map[string]any

	// changed sets the value of a property from the front end. It reports whether the value is
	// valid, and returns a function to call when other pages are updated, or nil. custom handles
	// custom messages of the widget. Both are called with mu held.
	changed func(key string, value json.RawMessage) (accepted bool, then func())
	custom  func(content json.RawMessage)

	calls calls

	mu    sync.Mutex
	state map[string]any // the properties, as encoding/json takes them
	comm  *Comm          // nil while the front end does not know the model
	aside []*Comm        // of the layout and the style
}

func (m *model) base() *model { return m }

// MimeBundle implements [Widget].
func (m *model) MimeBundle() (map[string]any, error) {
	bundle := m.still()
	if bundle[display.Text] == nil {
		bundle[display.Text] = ""
	}
	id, err := m.open()
	switch {
	case errors.Is(err, ErrNoFrontEnd):
		return bundle, nil
	case err != nil:
		return bundle, err
	}
	bundle[viewType] = map[string]any{"version_major": 2, "version_minor": 0, "model_id": id}
	return bundle, nil
}

// open registers the model with the front end, unless it is registered, and returns its ID there.
func (m *model) open() (id string, err error) {
	children := make([]string, len(m.children))
	for i, child := range m.children {
		id, err := child.base().open()
		if err != nil {
			return "", err
		}
		children[i] = reference(id)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.comm != nil {
		return m.comm.ID(), nil
	}
	if m.children != nil {
		m.state["children"] = children
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.closeAside())
		}
	}()
	layout := map[string]any{}
	if m.width != "" {
		layout["width"] = m.width
	}
	if m.hidden {
		layout["display"] = "none"
	}
	if err := m.beside("layout", baseModule, "Layout", layout); err != nil {
		return "", err
	}
	if m.styleName != "" {
		if err := m.beside("style", controlsModule, m.styleName, m.style); err != nil {
			return "", err
		}
	}
	c, err := openModel(m.module, m.name, m.name, m.state, &m.mu, m.receive)
	if err != nil {
		return "", err
	}
	m.comm = c
	return c.ID(), nil
}

// beside opens a model that the state refers to by key and that consists only of its state. The
// caller holds m.mu.
func (m *model) beside(key string, from module, name string, state map[string]any) error {
	state = clone(state)
	c, err := openModel(from, name, "", state, nil, func(c *Comm, kind string, message Message) func() {
		if kind == "msg" {
			answer(c, message, state)
		}
		return nil
	})
	if err != nil {
		return err
	}
	m.aside = append(m.aside, c)
	m.state[key] = reference(c.ID())
	return nil
}

func (m *model) closeAside() error {
	var errs []error
	for _, c := range m.aside {
		errs = append(errs, closeModel(c))
	}
	m.aside = nil
	return errors.Join(errs...)
}

// Close implements [Widget].
func (m *model) Close() error {
	m.mu.Lock()
	c := m.comm
	m.comm = nil
	var errs []error
	if c != nil {
		m.calls.drop()
		errs = append(errs, closeModel(c), m.closeAside())
	}
	m.mu.Unlock()
	for _, child := range m.children {
		errs = append(errs, child.Close())
	}
	return errors.Join(errs...)
}

// set changes properties. The caller holds m.mu.
func (m *model) set(state map[string]any) error {
	for key, v := range state {
		m.state[key] = v
	}
	if m.comm == nil {
		return nil
	}
	if err := sendState(m.comm, "update", state); !errors.Is(err, ErrCommClosed) {
		return err
	}
	return nil
}

// receive handles a message of the front end, or of the kernel, about the model.
func (m *model) receive(c *Comm, kind string, message Message) (run func()) {
	switch kind {
	case "call":
		return m.calls.next(c)
	case "failed":
		var f host.Failed
		if err := message.Decode(&f); err != nil {
			f = host.Failed{Name: "error", Value: err.Error(), Traceback: []string{err.Error()}}
		}
		m.calls.failed(f)
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.comm != c {
		return nil
	}
	if kind == "close" {
		// The front end forgets the model and its companions.
		m.comm = nil
		known.remove(c)
		m.calls.drop()
		_ = m.closeAside() // there is nobody to tell
		return nil
	}
	var content struct {
		Method  string
		State   map[string]json.RawMessage
		Content json.RawMessage
	}
	if message.Decode(&content) != nil {
		return nil
	}
	switch content.Method {
	case "update":
		m.update(c, content.State)
	case "custom":
		if m.custom != nil {
			m.custom(content.Content)
		}
	default:
		answer(c, message, m.state)
	}
	return nil
}

// update applies the changes of the front end, and informs other pages. The caller holds m.mu.
func (m *model) update(c *Comm, state map[string]json.RawMessage) {
	echo, refused := map[string]any{}, map[string]any{}
	var then []func()
	for key, value := range state {
		if _, has := m.state[key]; !has || key == "layout" || key == "style" || key == "children" {
			continue
		}
		accepted, f := true, (func())(nil)
		if m.changed != nil {
			accepted, f = m.changed(key, value)
		}
		if !accepted {
			refused[key] = m.state[key]
			continue
		}
		m.state[key] = value
		echo[key] = value
		if f != nil {
			then = append(then, f)
		}
	}
	// A comm that is closed needs none of it.
	if len(echo) > 0 {
		_ = sendState(c, "echo_update", echo)
	}
	if len(refused) > 0 {
		_ = sendState(c, "update", refused)
	}
	for _, f := range then {
		f()
	}
}

// answer answers a page that asks for the state.
func answer(c *Comm, message Message, state map[string]any) {
	var content struct{ Method string }
	if message.Decode(&content) == nil && content.Method == "request_state" {
		_ = sendState(c, "update", state) // a comm that is closed needs none
	}
}

func sendState(c *Comm, method string, state map[string]any) error {
	return c.Send(map[string]any{"method": method, "state": state, "buffer_paths": []any{}})
}

func reference(id string) string { return "IPY_MODEL_" + id }

// openModel opens the comm of a model. The lock, if there is one, guards its state. The state gets
// the properties common to all models.
func openModel(from module, name, view string, state map[string]any, lock *sync.Mutex, receive func(*Comm, string, Message) func()) (*Comm, error) {
	state["_model_module"], state["_model_module_version"], state["_model_name"] = from.name, from.version, name+"Model"
	state["_view_module"], state["_view_module_version"], state["_view_name"] = from.name, from.version, nil
	switch {
	case view != "":
		state["_view_name"] = view + "View"
	case name == "Layout":
		state["_view_name"] = "LayoutView"
	default:
		state["_view_module"], state["_view_module_version"], state["_view_name"] = baseModule.name, baseModule.version, "StyleView"
	}
	c := &Comm{target: widgetTarget}
	c.direct = func(kind string, m Message) func() { return receive(c, kind, m) }
	err := c.open(map[string]any{"state": state, "buffer_paths": []any{}}, &CommOptions{Metadata: map[string]any{"version": protocolVersion}})
	if err != nil {
		return nil, err
	}
	known.add(c, state, lock)
	return c, nil
}

func closeModel(c *Comm) error {
	known.remove(c)
	if err := c.Close(nil); !errors.Is(err, ErrCommClosed) {
		return err
	}
	return nil
}

func clone(state map[string]any) map[string]any {
	c := make(map[string]any, len(state))
	for key, v := range state {
		c[key] = v
	}
	return c
}

// texts returns how widgets are shown as text.
func texts(widgets []Widget) string {
	var lines []string
	for _, w := range widgets {
		if line, _ := w.base().still()[display.Text].(string); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// described are properties of all controls with a label.
func described(state map[string]any, label []string) map[string]any {
	state["description"] = strings.Join(label, " ")
	state["disabled"] = false
	return state
}

// labelled sets the label of a control that has none, and the room for the labels of all, in
// letters.
func (m *model) labelled(label string, room int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.state["description"] == "" {
		m.state["description"] = label
	}
	if m.comm == nil && m.style != nil {
		m.style["description_width"] = fmt.Sprintf("%dch", room)
	}
}

func (m *model) label() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	label, _ := m.state["description"].(string)
	return label
}

// stillText returns the view of a control as text, behind its label.
func (m *model) stillText(text string) map[string]any {
	if label := m.label(); label != "" {
		text = label + ": " + text
	}
	return map[string]any{display.Text: text}
}

// A task is a user function called for a widget, with a function that handles its failure.
type task struct {
	run    func()
	failed func(host.Failed)
}

// calls are the tasks of a widget, in their order.
type calls struct {
	mu      sync.Mutex
	waiting []task
	asked   bool // the comm is to be called
	running task // or the one that ran last
}

// add has a task run when its turn comes. An error tells that it never does.
func (s *calls) add(c *Comm, t task) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, t)
	if s.asked {
		return nil
	}
	if err := c.call(); err != nil {
		s.waiting = nil
		return err
	}
	s.asked = true
	return nil
}

// next returns what is to be run now.
func (s *calls) next(c *Comm) (run func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = false
	if len(s.waiting) == 0 {
		return nil
	}
	s.running = s.waiting[0]
	s.waiting = slices.Delete(s.waiting, 0, 1)
	if len(s.waiting) > 0 {
		s.asked = c.call() == nil
	}
	return s.running.run
}

// failed passes a failure to the last task.
func (s *calls) failed(f host.Failed) {
	s.mu.Lock()
	told := s.running.failed
	s.mu.Unlock()
	if told != nil {
		told(f)
	}
}

// post has a task run when its turn comes. The caller holds m.mu.
func (m *model) post(t task) {
	if err := m.calls.add(m.comm, t); err != nil {
		t.failed(host.Failed{Name: "error", Value: err.Error(), Traceback: []string{err.Error()}})
	}
}

// drop removes waiting tasks.
func (s *calls) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting, s.asked = nil, false
}

// at creates a task for a function whose output and failure are shown at a place.
func at(place host.Sink, f func()) task {
	return task{
		run: func() {
			defer host.Current().Capture(place)()
			f()
		},
		failed: func(f host.Failed) { place.Stream("stderr", strings.Join(f.Traceback, "\n")+"\n") },
	}
}
