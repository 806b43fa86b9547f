//go:build !noasm

#include "textflag.h"

// ZERO clears the sums of 8 columns.
#define ZERO(a, b) \
	VXORPD a, a, a; \
	VXORPD b, b, b

// func addScaledAVX2(dst *float64, x float64, row *int16, n int)
// n is a multiple of 8 above 0.
TEXT ·addScaledAVX2(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	VBROADCASTSD x+8(FP), Y0
	MOVQ         row+16(FP), SI
	MOVQ         n+24(FP), CX

short8:
	VPMOVSXWD (SI), Y1
	VEXTRACTI128 $1, Y1, X2
	VCVTDQ2PD X1, Y1
	VCVTDQ2PD X2, Y2
	VMULPD    Y0, Y1, Y1
	VMULPD    Y0, Y2, Y2
	VADDPD    (DI), Y1, Y1
	VADDPD    32(DI), Y2, Y2
	VMOVUPD   Y1, (DI)
	VMOVUPD   Y2, 32(DI)
	ADDQ      $16, SI
	ADDQ      $64, DI
	SUBQ      $8, CX
	JG        short8
	VZEROUPPER
	RET

// LOAD8 turns 8 columns of the row at a base, from an offset in bytes, into float32.
#define LOAD8(from, t) \
	VPMOVSXWD from, t; \
	VCVTDQ2PS t, t

// ADDPAIRS adds 16 columns of the rows at AX and R8, from an offset in bytes, times the two halves of Y8, to sums: of
// columns 0 to 3 and 8 to 11 to the first, of the others to the second.
#define ADDPAIRS(at, a, b, t, u) \
	VMOVDQU    at(AX)(BX*1), t; \
	VMOVDQU    at(R8)(BX*1), u; \
	VPUNPCKLWD u, t, Y13; \
	VPUNPCKHWD u, t, Y14; \
	VPMADDWD   Y8, Y13, Y13; \
	VPMADDWD   Y8, Y14, Y14; \
	VPADDD     Y13, a, a; \
	VPADDD     Y14, b, b

// ADDSTEPS sets 16 columns at DI, from an offset in bytes, to the scores at R11 and Y8 times the sums of ADDPAIRS.
#define ADDSTEPS(at, a, b) \
	VPERM2I128 $0x20, b, a, Y13; \
	VPERM2I128 $0x31, b, a, Y14; \
	VCVTDQ2PS  Y13, Y13; \
	VCVTDQ2PS  Y14, Y14; \
	VMULPS     Y8, Y13, Y13; \
	VMULPS     Y8, Y14, Y14; \
	VADDPS     at(R11), Y13, Y13; \
	VADDPS     at+32(R11), Y14, Y14; \
	VMOVUPS    Y13, at(DI); \
	VMOVUPS    Y14, at+32(DI)

// func scorePanelAVX2(dst, scores *float32, rows **int16, factors *uint32, n int, step float32, offset int)
// n is at least 1; rows has 12 entries more than 2n; offset is in bytes.
TEXT ·scorePanelAVX2(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ scores+8(FP), R11
	MOVQ rows+16(FP), SI
	MOVQ factors+24(FP), DX
	MOVQ n+32(FP), CX
	MOVQ offset+48(FP), BX
	ZERO(Y0, Y1)
	ZERO(Y2, Y3)
	ZERO(Y4, Y5)
	ZERO(Y6, Y7)

row64:
	MOVQ         96(SI), R9
	MOVQ         104(SI), R10
	PREFETCHT0   (R9)(BX*1)
	PREFETCHT0   64(R9)(BX*1)
	PREFETCHT0   (R10)(BX*1)
	PREFETCHT0   64(R10)(BX*1)
	MOVQ         (SI), AX
	MOVQ         8(SI), R8
	VPBROADCASTD (DX), Y8
	ADDPAIRS(0, Y0, Y1, Y9, Y10)
	ADDPAIRS(32, Y2, Y3, Y11, Y12)
	ADDPAIRS(64, Y4, Y5, Y9, Y10)
	ADDPAIRS(96, Y6, Y7, Y11, Y12)
	ADDQ         $16, SI
	ADDQ         $4, DX
	DECQ         CX
	JNZ          row64
	VBROADCASTSS step+40(FP), Y8
	ADDSTEPS(0, Y0, Y1)
	ADDSTEPS(64, Y2, Y3)
	ADDSTEPS(128, Y4, Y5)
	ADDSTEPS(192, Y6, Y7)
	VZEROUPPER
	RET

// SPREAD adds 8 columns times Y8 to scores at an offset in bytes.
#define SPREAD(at, w, t) \
	VMULPS  w, Y8, t; \
	VADDPS  at(DI)(AX*1), t, t; \
	VMOVUPS t, at(DI)(AX*1)

// func spreadPanelAVX2(scores *float32, slots *int32, values *float32, n int, row, next *int16)
// n is at least 1.
TEXT ·spreadPanelAVX2(SB), NOSPLIT, $0-48
	MOVQ    scores+0(FP), DI
	MOVQ    slots+8(FP), SI
	MOVQ    values+16(FP), DX
	MOVQ    n+24(FP), CX
	MOVQ    row+32(FP), BX
	MOVQ    next+40(FP), AX
	PREFETCHT0 (AX)
	PREFETCHT0 64(AX)
	LOAD8((BX), Y0)
	LOAD8(16(BX), Y1)
	LOAD8(32(BX), Y2)
	LOAD8(48(BX), Y3)
	LOAD8(64(BX), Y4)
	LOAD8(80(BX), Y5)
	LOAD8(96(BX), Y6)
	LOAD8(112(BX), Y7)

slot64:
	MOVLQSX      (SI), AX
	SHLQ         $8, AX
	VBROADCASTSS (DX), Y8
	SPREAD(0, Y0, Y9)
	SPREAD(32, Y1, Y10)
	SPREAD(64, Y2, Y11)
	SPREAD(96, Y3, Y12)
	SPREAD(128, Y4, Y9)
	SPREAD(160, Y5, Y10)
	SPREAD(192, Y6, Y11)
	SPREAD(224, Y7, Y12)
	ADDQ         $4, SI
	ADDQ         $4, DX
	DECQ         CX
	JNZ          slot64
	VZEROUPPER
	RET
