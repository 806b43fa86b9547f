package state

// waitingFor returns the pending functions that wait for one of the names, or
// for a function that does.
func (s *Session) WaitingFor(names map[string]bool) []*Follower {
	var out []*Follower
	taken := map[*Function]bool{}
	for more := true; more; {
		more = false
		for _, fn := range s.All {
			if fn.Pending != "" && !taken[fn] && names[fn.Pending] && s.Current(fn) && !names[fn.Name] {
				taken[fn], more = true, true
				names[fn.Name] = true
				out = append(out, &Follower{Fn: fn})
			}
		}
	}
	return out
}
