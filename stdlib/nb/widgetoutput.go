package nb

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// An OutputArea is a widget that shows any output of a cell. It stores its contents, up to a bound,
// so that they reappear when the page is reloaded.
type OutputArea struct {
	*model
	sink *outputSink
}

// Output returns an area that shows the values.
//
//	out := nb.Output()
//	more := nb.Button("more", func() { out.Run(func() { fmt.Println(next()) }) })
//	nb.VBox(more, out)
func Output(values ...any) *OutputArea {
	o := &OutputArea{&model{name: "Output", module: outputModule, state: map[string]any{"msg_id": "", "outputs": []any{}}}, nil}
	o.sink = &outputSink{model: o.model}
	o.still = o.sink.still
	o.changed = func(string, json.RawMessage) (bool, func()) { return false, nil }
	if len(values) > 0 {
		o.Show(values...)
	}
	return o
}

// Show replaces the contents of the area by the values, each as [Display] shows it.
func (o *OutputArea) Show(values ...any) {
	o.sink.restart()
	for _, v := range values {
		if b := moved([]any{v}); b != nil {
			o.sink.Display(b, "", false)
		}
	}
	o.sink.finish()
}

// Run calls f and replaces the contents of the area by the output of f, and of goroutines that it
// starts, until f returns. In a terminal the output appears at once.
func (o *OutputArea) Run(f func()) {
	o.sink.restart()
	defer o.sink.finish()
	defer host.Current().Capture(o.sink)()
	f()
}

// Clear empties the area.
func (o *OutputArea) Clear() { o.Show() }

// Bounds on the contents of an area: the rest is left out, and a message says so.
const (
	maxOutput  = 2 << 20 // bytes
	maxOutputs = 1000
)

// An area whose content grows is redrawn after this time, and not so often that it takes more than
// a share of the time.
const (
	redraw = 50 * time.Millisecond
	part   = 10
)

// An outputSink has the contents of an area.
type outputSink struct {
	model *model

	mu      sync.Mutex
	outputs []output
	size    int           // bytes of the outputs
	full    bool          // something was left out
	stale   bool          // the next output replaces all others
	drawing bool          // draw is to be called
	took    time.Duration // to draw the last time
}

// An output is a part of the contents of an area: text of a stream, a bundle, or an error.
type output struct {
	id      string // by which a bundle can be replaced
	stream  string // its name; empty for others
	text    strings.Builder
	bundle  *display.Bundle
	failure *host.Failed
	encoded json.RawMessage // of a bundle or an error
}

// restart has the next output, or finish, replace what is there.
func (s *outputSink) restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = true
}

// finish draws pending contents.
func (s *outputSink) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fresh()
	s.draw()
}

// fresh removes contents that are to be replaced. The caller holds s.mu.
func (s *outputSink) fresh() {
	if s.stale {
		s.outputs, s.size, s.full, s.stale = nil, 0, false, false
	}
}

// Stream implements host.Sink.
func (s *outputSink) Stream(name, text string) {
	if name == host.Notes {
		s.Display(display.Note(text), "", false)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fresh()
	if !s.room(len(text)) {
		return
	}
	if n := len(s.outputs); n == 0 || s.outputs[n-1].stream != name {
		s.outputs = append(s.outputs, output{stream: name})
	}
	s.outputs[len(s.outputs)-1].text.WriteString(text)
	s.drawSoon()
}

// Display implements host.Sink.
func (s *outputSink) Display(b *display.Bundle, id string, update bool) bool {
	metadata := b.Metadata
	if metadata == nil {
		metadata = map[string]any{}
	}
	text, err := json.Marshal(map[string]any{"output_type": "display_data", "data": b.Data, "metadata": metadata})
	if err != nil {
		s.Stream("stderr", fmt.Sprintf("display: %v\n", err))
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := output{id: id, bundle: b, encoded: text}
	if update {
		at := slices.IndexFunc(s.outputs, func(o output) bool { return o.id == id })
		if at < 0 || s.stale {
			return false // the cell has shown it elsewhere
		}
		s.size += len(text) - len(s.outputs[at].encoded)
		s.outputs[at] = shown
		s.drawSoon()
		return true
	}
	s.fresh()
	if s.room(len(text)) {
		s.outputs = append(s.outputs, shown)
		s.drawSoon()
	}
	return true
}

// Clear implements host.Sink.
func (s *outputSink) Clear(wait bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = true
	if !wait {
		s.fresh()
		s.drawSoon()
	}
}

// fail shows an error.
func (s *outputSink) fail(f host.Failed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fresh()
	text, err := json.Marshal(map[string]any{"output_type": "error", "ename": f.Name, "evalue": f.Value, "traceback": f.Traceback})
	if err == nil && s.room(len(text)) {
		s.outputs = append(s.outputs, output{failure: &f, encoded: text})
	}
	s.draw()
}

// room reports whether there is room for so many bytes more. The caller holds s.mu.
func (s *outputSink) room(size int) bool {
	if !s.full && s.size+size <= maxOutput && len(s.outputs) < maxOutputs {
		s.size += size
		return true
	}
	if !s.full {
		s.full = true
		s.outputs = append(s.outputs, output{stream: "stderr"})
		s.outputs[len(s.outputs)-1].text.WriteString("the rest is not shown: a widget cannot show more\n")
		s.drawSoon()
	}
	return false
}

func (s *outputSink) drawSoon() {
	if s.drawing {
		return
	}
	s.drawing = true
	time.AfterFunc(max(redraw, part*s.took), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.drawing {
			s.draw()
		}
	})
}

// draw updates the front end. The caller holds s.mu.
func (s *outputSink) draw() {
	s.drawing = false
	began := time.Now()
	defer func() { s.took = time.Since(began) }()
	outputs := make([]any, len(s.outputs))
	for i := range s.outputs {
		o := &s.outputs[i]
		outputs[i] = o.encoded
		if o.stream != "" {
			outputs[i] = map[string]any{"output_type": "stream", "name": o.stream, "text": o.text.String()}
		}
	}
	s.model.mu.Lock()
	defer s.model.mu.Unlock()
	if err := s.model.set(map[string]any{"outputs": outputs}); err != nil {
		fmt.Fprintln(host.Stderr(), err)
	}
}

// still returns how the area is shown where there are no widgets: the one thing in it with the text
// of all, or all of them as a page.
func (s *outputSink) still() map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return still(s.outputs)
}

func still(outputs []output) map[string]any {
	var texts, parts []string
	var shown []map[string]any
	for i := range outputs {
		o := &outputs[i]
		text, part := o.text.String(), ""
		switch {
		case o.failure != nil:
			text = o.failure.Name + ": " + o.failure.Value
		case o.bundle != nil:
			text, part = o.bundle.Text(), page(o.bundle.Data)
			shown = append(shown, o.bundle.Data)
		}
		if part == "" {
			part = "<pre>" + html.EscapeString(text) + "</pre>"
		}
		texts, parts = append(texts, strings.TrimSuffix(text, "\n")), append(parts, part)
	}
	bundle := map[string]any{}
	switch {
	case len(shown) == 1:
		for mime, data := range shown[0] {
			bundle[mime] = data
		}
	case len(shown) > 1:
		bundle[display.HTML] = strings.Join(parts, "\n")
	}
	bundle[display.Text] = strings.Join(texts, "\n")
	return bundle
}

// page returns a bundle as a piece of a web page; empty for one that is text only.
func page(data map[string]any) string {
	if text, ok := data[display.HTML].(string); ok {
		return text
	}
	if text, ok := data[display.SVG].(string); ok {
		return text
	}
	for _, mime := range []string{display.PNG, display.JPEG} {
		if picture, ok := data[mime].([]byte); ok {
			text, _ := data[display.Text].(string)
			alt, _, _ := strings.Cut(text, "\n")
			return fmt.Sprintf(`<div><img src="data:%s;base64,%s" alt="%s"></div>`, mime, base64.StdEncoding.EncodeToString(picture), html.EscapeString(alt))
		}
	}
	return ""
}
