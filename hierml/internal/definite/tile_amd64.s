//go:build !noasm

#include "textflag.h"

// ROW adds a multiple of the row of b in Y8 and Y9 to the sums of a row of the tile.
#define ROW(at, low, high) \
	VBROADCASTSD at(SI), Y10; \
	VMULPD       Y8, Y10, Y11; \
	VADDPD       Y11, low, low; \
	VMULPD       Y9, Y10, Y12; \
	VADDPD       Y12, high, high

// TAKE takes the sums of a row from the tile, and turns to the next row.
#define TAKE(low, high) \
	VMOVUPD (DI), Y8; \
	VMOVUPD 32(DI), Y9; \
	VSUBPD  low, Y8, Y8; \
	VSUBPD  high, Y9, Y9; \
	VMOVUPD Y8, (DI); \
	VMOVUPD Y9, 32(DI); \
	ADDQ    R8, DI

// func tileAVX2(c *float64, stride int, a, b *float64, k int)
// stride is in bytes, k at least 1.
TEXT ·tileAVX2(SB), NOSPLIT, $0-40
	MOVQ   c+0(FP), DI
	MOVQ   stride+8(FP), R8
	MOVQ   a+16(FP), SI
	MOVQ   b+24(FP), DX
	MOVQ   k+32(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7

loop:
	VMOVUPD (DX), Y8
	VMOVUPD 32(DX), Y9
	ROW(0, Y0, Y1)
	ROW(8, Y2, Y3)
	ROW(16, Y4, Y5)
	ROW(24, Y6, Y7)
	ADDQ    $32, SI
	ADDQ    $64, DX
	DECQ    CX
	JNZ     loop
	TAKE(Y0, Y1)
	TAKE(Y2, Y3)
	TAKE(Y4, Y5)
	TAKE(Y6, Y7)
	VZEROUPPER
	RET
