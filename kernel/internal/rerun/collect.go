package rerun

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hierml/notebook/internal/notebook"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// displays maps the display ids of the whole notebook to their outputs: an update changes them all.
type displays map[string][]*notebook.Output

// A collector turns the output of a cell into notebook outputs.
type collector struct {
	cell     *notebook.Cell
	displays displays
	clear    bool // before the next output
}

var _ program.Output = (*collector)(nil)

func (c *collector) Stream(name, text string) {
	if text == "" {
		return
	}
	c.settle()
	if n := len(c.cell.Outputs); n > 0 {
		switch last := c.cell.Outputs[n-1]; {
		case last.Kind == notebook.Stream && last.Name == name:
			last.Text += text
			return
		case name == host.Notes && display.IsNote(last.Metadata):
			last.Data = display.Note(fmt.Sprintln(last.Data[display.Text]) + text).Data
			return
		}
	}
	if name == host.Notes {
		c.Display(display.Note(text), "", false)
		return
	}
	c.add(&notebook.Output{Kind: notebook.Stream, Name: name, Text: text})
}

func (c *collector) Display(bundle *program.Bundle, id string, update bool) {
	if bundle == nil || bundle.Metadata[display.Transient] != nil {
		return
	}
	if !update {
		o := &notebook.Output{Kind: notebook.Display}
		if c.show(o, bundle) && id != "" {
			c.displays[id] = append(c.displays[id], o)
		}
		return
	}
	data, metadata, err := encodeBundle(bundle)
	if err != nil {
		c.complain(err)
	}
	for _, o := range c.displays[id] {
		o.Data, o.Metadata = data, metadata
	}
}

func (c *collector) Clear(wait bool) {
	c.clear = wait
	if !wait {
		c.cell.Outputs = nil
	}
}

func (c *collector) Comm(*program.CommMessage) error { return host.ErrNoFrontEnd }

// Page shows the bundle below the cell: a file has no other place.
func (c *collector) Page(bundle *program.Bundle) { c.Display(bundle, "", false) }

func (c *collector) NextInput(string, bool) {}

func (c *collector) Input(context.Context, string, bool) (string, error) {
	return "", errors.New("nobody can be asked for input while a notebook is run without a front end")
}

// settle carries out a Clear that was waiting for the next output.
func (c *collector) settle() {
	if c.clear {
		c.clear = false
		c.cell.Outputs = nil
	}
}

func (c *collector) add(o *notebook.Output) {
	c.settle()
	c.cell.Outputs = append(c.cell.Outputs, o)
}

// show adds an output with the content of a bundle. It reports whether the bundle had any.
func (c *collector) show(o *notebook.Output, bundle *program.Bundle) bool {
	var err error
	if o.Data, o.Metadata, err = encodeBundle(bundle); err != nil {
		c.complain(err)
	}
	if len(o.Data) > 0 {
		c.add(o)
	}
	return len(o.Data) > 0
}

func (c *collector) complain(err error) { c.Stream("stderr", "not shown: "+err.Error()+"\n") }

// encodeBundle returns the bundle in the form of notebooks. The error names the parts that JSON
// cannot hold, which it leaves out.
func encodeBundle(b *program.Bundle) (data, metadata map[string]any, err error) {
	var errs []error
	data = make(map[string]any, len(b.Data))
	for mime, value := range b.Data {
		switch value := value.(type) {
		case string:
			data[mime] = strings.ToValidUTF8(value, "\uFFFD")
		case []byte:
			data[mime] = base64.StdEncoding.EncodeToString(value)
		default:
			plain, err := plainJSON(value)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", mime, err))
				continue
			}
			data[mime] = plain
		}
	}
	metadata = map[string]any{}
	for key, value := range b.Metadata {
		plain, err := plainJSON(value)
		if err != nil {
			errs = append(errs, fmt.Errorf("metadata %s: %w", key, err))
			continue
		}
		metadata[key] = plain
	}
	return data, metadata, errors.Join(errs...)
}

// plainJSON returns a value as plain JSON: maps, lists, strings, numbers.
func plainJSON(value any) (any, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var plain any
	err = dec.Decode(&plain)
	return plain, err
}
