// Package damaged has no code of its own. Its tests feed damaged files of every format to the
// readers of taxonomies and instances: cut, with flipped bits, wrong counts, unknown labels, wrong
// encodings, bombs and what else happens to files. Each must give the error that stands beside it
// in testdata, with its place, and with repairs what stands there; none may panic, hang, or take
// more memory than its content is worth.
//
// The archives in testdata are written by go test -update from the tables in instances_test.go,
// taxonomies_test.go and damages_test.go.
package damaged
