// Package soak has a test only: it runs random cells by the thousand against a kernel, by its two
// executors in turn, and looks at what they leave behind in its processes and in its folders. A
// short run is part of the tests; a long one is
//
//	go test -count=1 -v -timeout 2h -run Soak ./kernel/internal/soak -cells 20000
package soak
