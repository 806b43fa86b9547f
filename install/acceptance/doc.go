// Package acceptance holds the tests that look at hierml from outside, as its users do: through the
// installation command, through Jupyter's own protocol suite, through JupyterLab in a browser,
// beside another kernel, and on a cluster whose machines break. They need what `go run ./install
// test` provides; without it they skip themselves, or fail where CI=true. Those that begin with
// TestGiven need folders as well, see package given.
package acceptance
