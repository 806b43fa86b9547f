package rerun

import (
	"testing"

	"github.com/hierml/notebook/internal/notebook"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/display"
)

func TestBarsAreNotKept(t *testing.T) {
	c := &collector{cell: &notebook.Cell{}, displays: displays{}}
	metadata := map[string]any{display.Transient: true}
	c.Display(&program.Bundle{Data: map[string]any{"text/plain": "training"}, Metadata: metadata}, "bar", false)
	c.Display(&program.Bundle{Data: map[string]any{"text/plain": "kept"}}, "", false)
	c.Display(&program.Bundle{Data: map[string]any{}, Metadata: metadata}, "bar", true)
	if len(c.cell.Outputs) != 1 || c.cell.Outputs[0].Data["text/plain"] != "kept" {
		t.Errorf("kept %v", c.cell.Outputs)
	}
}
