package state

import (
	"go/types"
)

// lose makes the session that of a worker which knows nothing of it.
func (s *Session) Lose(cause string) {
	for _, d := range s.ByObject {
		if _, ok := d.Object.(*types.Var); ok && d.Lowered != "" && d.Lost == "" {
			s.LoseVariable(d, "the variable was lost when the worker process died: "+cause)
		}
	}
	s.loseOutputs("the value was lost when the worker process died: " + cause)
	for _, fn := range s.All {
		fn.Emitted, fn.Valued = false, false
	}
	s.Sent = map[string]bool{}
	s.Emitted = map[string]bool{}
	s.LocalTypes = map[types.Object]string{}
	s.Instances = map[string]string{}
	s.FuncInstances = map[string]*Function{}
	s.Described = map[int]int{}
}

// loseVariable says of a variable that it is gone, and why.
func (s *Session) LoseVariable(d *Declaration, why string) {
	d.Lost = why
	s.loses = true
	if s.Live[d.Name] == d {
		s.Gone[d.Name] = d
		delete(s.Live, d.Name)
	}
}

// loseOutputs says of what the cells showed that it is gone, and why.
func (s *Session) loseOutputs(why string) {
	for _, out := range s.Outputs {
		if out.Lost == "" {
			out.Lost = why
		}
	}
}
