package cells

import "sync"

// A stream is a writer of the cells' text.
type stream struct {
	host *Host
	name string
}

func (s stream) Write(p []byte) (int, error) {
	if sink := s.host.sink(); sink != nil {
		sink.Stream(s.name, string(p))
		return len(p), nil
	}
	return s.host.outlet.Text(s.host.belonging.cell(), s.name, p)
}

// inputReader is standard input as read by fmt.Scan and similar functions. It asks for each line
// when it is needed.
type inputReader struct {
	host *Host
	line *bufferedLine
}

type bufferedLine struct {
	mu   sync.Mutex
	rest []byte
}

func (r inputReader) Read(p []byte) (int, error) {
	r.line.mu.Lock()
	defer r.line.mu.Unlock()
	if len(r.line.rest) == 0 {
		line, err := r.host.Input("", false)
		if err != nil {
			return 0, err
		}
		r.line.rest = []byte(line + "\n")
	}
	n := copy(p, r.line.rest)
	r.line.rest = r.line.rest[n:]
	return n, nil
}
