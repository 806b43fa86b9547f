package notebook

// Clear removes the results of runs from the notebook: outputs and counts, execution times, whether
// outputs are folded, and the state of widgets.
func (nb *Notebook) Clear() {
	delete(nb.Metadata, "widgets")
	for _, c := range nb.Cells {
		if c.Kind != Code {
			continue
		}
		c.Count, c.Outputs = 0, nil
		for _, key := range []string{"execution", "ExecuteTime", "collapsed", "scrolled"} {
			delete(c.Metadata, key)
		}
		if jupyter, ok := c.Metadata["jupyter"].(map[string]any); ok {
			delete(jupyter, "outputs_hidden")
			if len(jupyter) == 0 {
				delete(c.Metadata, "jupyter")
			}
		}
	}
}
