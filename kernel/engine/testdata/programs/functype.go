package main

import "fmt"

type State func(n int) State

func start(n int) State {
	fmt.Println(n)
	return nil
}

func main() {
	for s, n := State(start), 0; s != nil; n++ {
		s = s(n)
	}
}
