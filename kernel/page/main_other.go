//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "page: this is the kernel for a page of a browser, built by GOOS=js GOARCH=wasm; go run ./install lite DIR makes the page")
	os.Exit(2)
}
