package cell

import "testing"

// BenchmarkCheck tells what the check costs in a loop and at the entry of a function, against the
// same code without.
func BenchmarkCheck(b *testing.B) {
	b.Run("loop", func(b *testing.B) {
		for range b.N {
			sink = sum(1000)
		}
	})
	b.Run("loop/checked", func(b *testing.B) {
		for range b.N {
			sink = sumChecked(1000)
		}
	})
	b.Run("fib", func(b *testing.B) {
		for range b.N {
			sink = fib(20)
		}
	})
	b.Run("fib/checked", func(b *testing.B) {
		for range b.N {
			sink = fibChecked(20)
		}
	})
}

var sink int

func sum(n int) (total int) {
	for i := range n {
		total += i * i
	}
	return total
}

func sumChecked(n int) (total int) {
	for i := range n {
		Check()
		total += i * i
	}
	return total
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func fibChecked(n int) int {
	Check()
	if n < 2 {
		return n
	}
	return fibChecked(n-1) + fibChecked(n-2)
}
