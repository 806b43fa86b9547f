package state

import (
	"maps"
	"slices"
)

// snapshot returns a function that makes the session what it is now. Changes to
// functions and types are not its business: rollbacks take them back.
func (s *Session) Snapshot() (restore func()) {
	was := *s
	was.Live, was.ByObject, was.Funcs = maps.Clone(s.Live), maps.Clone(s.ByObject), maps.Clone(s.Funcs)
	was.Versions, was.Aliases, was.Sent = maps.Clone(s.Versions), maps.Clone(s.Aliases), maps.Clone(s.Sent)
	was.Emitted, was.LocalTypes, was.Gone = maps.Clone(s.Emitted), maps.Clone(s.LocalTypes), maps.Clone(s.Gone)
	was.Instances, was.FuncInstances = maps.Clone(s.Instances), maps.Clone(s.FuncInstances)
	was.Described, was.Missed = maps.Clone(s.Described), maps.Clone(s.Missed)
	was.Outputs, was.Inputs = maps.Clone(s.Outputs), maps.Clone(s.Inputs)
	was.All, was.Obsolete, was.Late = slices.Clone(s.All), slices.Clone(s.Obsolete), slices.Clone(s.Late)
	return func() { *s = was }
}
