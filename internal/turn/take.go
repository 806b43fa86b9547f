//go:build !js

package turn

// Take lets others run if they have waited for some time.
func Take() {}
