//go:build !noasm

#include "textflag.h"

// func dotColumnFMA(x *float32, w *float64, n int) float64
// n is a multiple of 8, at least 8.
TEXT ·dotColumnFMA(SB), NOSPLIT, $0-32
	MOVQ   x+0(FP), SI
	MOVQ   w+8(FP), DI
	MOVQ   n+16(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	XORQ   BX, BX
	SHLQ   $2, CX

loop:
	VCVTPS2PD    (SI)(BX*1), Y8
	VCVTPS2PD    16(SI)(BX*1), Y9
	VFMADD231PD  (DI)(BX*2), Y8, Y0
	VFMADD231PD  32(DI)(BX*2), Y9, Y1
	ADDQ         $32, BX
	CMPQ         BX, CX
	JLT          loop
	VADDPD       Y1, Y0, Y0
	VHADDPD      Y0, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDSD       X1, X0, X0
	VMOVSD       X0, ret+24(FP)
	VZEROUPPER
	RET

// DOT adds the products of 8 features with those of a column to its sums.
#define DOT(column, a, b) \
	VFMADD231PD (column)(BX*2), Y8, a; \
	VFMADD231PD 32(column)(BX*2), Y9, b

// func dotColumnsFMA(dst *float64, columns int, x *float32, w *float64, n int)
// columns is a multiple of 4, at least 4, n one of 8, at least 8.
TEXT ·dotColumnsFMA(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ columns+8(FP), DX
	MOVQ x+16(FP), SI
	MOVQ w+24(FP), R8
	MOVQ n+32(FP), CX
	SHLQ $2, CX // bytes of x; a column has twice as many

four:
	LEAQ   (R8)(CX*2), R9
	LEAQ   (R9)(CX*2), R10
	LEAQ   (R10)(CX*2), R11
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	XORQ   BX, BX

eight:
	VCVTPS2PD (SI)(BX*1), Y8
	VCVTPS2PD 16(SI)(BX*1), Y9
	DOT(R8, Y0, Y1)
	DOT(R9, Y2, Y3)
	DOT(R10, Y4, Y5)
	DOT(R11, Y6, Y7)
	ADDQ      $32, BX
	CMPQ      BX, CX
	JLT       eight
	VADDPD    Y1, Y0, Y0
	VADDPD    Y3, Y2, Y2
	VADDPD    Y5, Y4, Y4
	VADDPD    Y7, Y6, Y6
	VHADDPD   Y2, Y0, Y0
	VHADDPD   Y6, Y4, Y4
	VPERM2F128 $0x20, Y4, Y0, Y1
	VPERM2F128 $0x31, Y4, Y0, Y2
	VADDPD    Y2, Y1, Y1
	VMOVUPD   Y1, (DI)
	ADDQ      $32, DI
	LEAQ      (R11)(CX*2), R8
	SUBQ      $4, DX
	JG        four
	VZEROUPPER
	RET

// func addColumnFMA(w *float64, u float64, x *float32, n int)
// n is a multiple of 8, at least 8.
TEXT ·addColumnFMA(SB), NOSPLIT, $0-32
	MOVQ         w+0(FP), DI
	VBROADCASTSD u+8(FP), Y0
	MOVQ         x+16(FP), SI
	MOVQ         n+24(FP), CX
	XORQ         BX, BX
	SHLQ         $2, CX

loop:
	VCVTPS2PD   (SI)(BX*1), Y8
	VCVTPS2PD   16(SI)(BX*1), Y9
	VMOVUPD     (DI)(BX*2), Y1
	VMOVUPD     32(DI)(BX*2), Y2
	VFMADD231PD Y8, Y0, Y1
	VFMADD231PD Y9, Y0, Y2
	VMOVUPD     Y1, (DI)(BX*2)
	VMOVUPD     Y2, 32(DI)(BX*2)
	ADDQ        $32, BX
	CMPQ        BX, CX
	JLT         loop
	VZEROUPPER
	RET
