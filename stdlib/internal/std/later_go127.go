//go:build go1.27

package std

// No later release is known.
const Later, LaterRelease = "", ""
