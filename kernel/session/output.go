package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/hierml/notebook/kernel/engine"
	"github.com/hierml/notebook/kernel/wire"
	"github.com/hierml/notebook/stdlib/host"
)

// An output publishes what one cell writes and shows, under that cell's
// header, also after the cell has ended. A silent one publishes nothing.
type output struct {
	session *session
	request *wire.Request
	silent  bool
	stdin   bool // the front end takes questions
}

var _ engine.Output = (*output)(nil)

func (o *output) Stream(name, text string) {
	if !o.silent {
		o.session.iopub.Stream(o.request.AsParent(), name, text)
	}
}

func (o *output) Display(bundle *engine.Bundle, id string, update bool) {
	if o.silent || bundle == nil {
		return
	}
	data, problems := encodeBundle(bundle)
	o.complain(problems)
	if len(data.Data) == 0 {
		return
	}
	data.Transient = map[string]any{}
	if id != "" {
		data.Transient["display_id"] = id
	}
	msgType := "display_data"
	if update {
		msgType = "update_display_data"
	}
	o.session.iopub.WaitRoom()
	o.session.publish(o.request.AsParent(), msgType, data)
}

func (o *output) Clear(wait bool) {
	if !o.silent {
		o.session.publish(o.request.AsParent(), "clear_output", wire.ClearOutput{Wait: wait})
	}
}

// Comm implements engine.Output.
func (o *output) Comm(m *engine.CommMessage) error { return host.ErrNoFrontEnd }

// Page implements engine.Output.
func (o *output) Page(bundle *engine.Bundle) {}

// NextInput implements engine.Output.
func (o *output) NextInput(source string, replace bool) {}

func (o *output) Input(ctx context.Context, prompt string, password bool) (string, error) {
	if !o.stdin || o.silent {
		return "", errors.New("this cell cannot ask for input: the front end that runs it does not take questions (allow_stdin is false)")
	}
	o.session.iopub.Flush(o.request.AsParent())
	return o.request.Input(ctx, prompt, password)
}

// complain tells the user of values that could not be shown.
func (o *output) complain(problems []error) {
	for _, problem := range problems {
		o.Stream("stderr", "not shown: "+problem.Error()+"\n")
	}
}

// encode encodes a value as JSON and leaves HTML as it is.
func encode(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
