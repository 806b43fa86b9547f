//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "page: this kernel runs only in a browser, built with GOOS=js GOARCH=wasm; to build a site with it, run go run ./install lite DIR")
	os.Exit(2)
}
