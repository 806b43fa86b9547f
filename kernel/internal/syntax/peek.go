package syntax

// forget drops a source that no declaration is in.
func (c *Files) Forget(src *Source) {
	for file, s := range c.Sources {
		if s == src {
			delete(c.Sources, file)
			c.Fset.RemoveFile(file)
		}
	}
}
