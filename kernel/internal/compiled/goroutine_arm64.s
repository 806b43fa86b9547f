//go:build go1.26 && !go1.28

#include "textflag.h"

// func goroutineState() unsafe.Pointer
TEXT ·goroutineState(SB), NOSPLIT, $0-8
	MOVD g, ret+0(FP)
	RET
