//go:build !noasm

#include "textflag.h"

// ADDROW adds x times 8 columns of a row to Y8 and Y9.
#define ADDROW(row, x) \
	VCVTPS2PD (row)(BX*1), Y4; \
	VCVTPS2PD 16(row)(BX*1), Y5; \
	VMULPD    x, Y4, Y4; \
	VMULPD    x, Y5, Y5; \
	VADDPD    Y4, Y8, Y8; \
	VADDPD    Y5, Y9, Y9

// func axpy4AVX2(dst *float64, r *fourRows, n int)
// n is a multiple of 8.
TEXT ·axpy4AVX2(SB), NOSPLIT, $0-24
	MOVQ         dst+0(FP), DI
	MOVQ         r+8(FP), AX
	MOVQ         n+16(FP), CX
	VBROADCASTSD (AX), Y0
	VBROADCASTSD 8(AX), Y1
	VBROADCASTSD 16(AX), Y2
	VBROADCASTSD 24(AX), Y3
	MOVQ         32(AX), R8
	MOVQ         40(AX), R9
	MOVQ         48(AX), R10
	MOVQ         56(AX), R11
	MOVQ         64(AX), R12
	MOVQ         72(AX), R13
	MOVQ         80(AX), SI
	MOVQ         88(AX), DX
	XORQ         BX, BX

loop:
	PREFETCHT0 (R12)(BX*1)
	PREFETCHT0 (R13)(BX*1)
	PREFETCHT0 (SI)(BX*1)
	PREFETCHT0 (DX)(BX*1)
	VMOVUPD    (DI), Y8
	VMOVUPD    32(DI), Y9
	ADDROW(R8, Y0)
	ADDROW(R9, Y1)
	ADDROW(R10, Y2)
	ADDROW(R11, Y3)
	VMOVUPD    Y8, (DI)
	VMOVUPD    Y9, 32(DI)
	ADDQ       $32, BX
	ADDQ       $64, DI
	SUBQ       $8, CX
	JG         loop
	VZEROUPPER
	RET

// ZERO clears the sums of 8 columns.
#define ZERO(a, b) \
	VXORPD a, a, a; \
	VXORPD b, b, b

// ROW turns to the next row: AX is where it begins, Y15 what multiplies it.
#define ROW \
	MOVLQSX      (SI), AX; \
	IMULQ        R8, AX; \
	VBROADCASTSS (DX), X15; \
	VCVTPS2PD    X15, Y15

// ADD8 adds 8 columns of the row, from an offset in bytes, to their sums.
#define ADD8(at, a, b) \
	VCVTPS2PD at(BX)(AX*1), Y14; \
	VMULPD    Y15, Y14, Y14; \
	VADDPD    Y14, a, a; \
	VCVTPS2PD at+16(BX)(AX*1), Y14; \
	VMULPD    Y15, Y14, Y14; \
	VADDPD    Y14, b, b

// NEXT goes on with the next of CX rows, at a label.
#define NEXT(row) \
	ADDQ $4, SI; \
	ADDQ $4, DX; \
	DECQ CX; \
	JNZ  row

// STORE stores the sums of 8 columns at an offset in bytes.
#define STORE(at, a, b) \
	VMOVUPD a, at(DI); \
	VMOVUPD b, at+32(DI)

// func narrowAVX2(dst *float64, width int, indices *int32, values *float32, n int, base *float32, stride int)
// width is 8, 16, 24 or 32, n at least 1, stride in bytes. dst is overwritten.
TEXT ·narrowAVX2(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ width+8(FP), R9
	MOVQ indices+16(FP), SI
	MOVQ values+24(FP), DX
	MOVQ n+32(FP), CX
	MOVQ base+40(FP), BX
	MOVQ stride+48(FP), R8
	ZERO(Y0, Y1)
	ZERO(Y2, Y3)
	ZERO(Y4, Y5)
	ZERO(Y6, Y7)
	CMPQ R9, $16
	JLT  row8
	JEQ  row16
	CMPQ R9, $24
	JEQ  row24

row32:
	ROW
	ADD8(0, Y0, Y1)
	ADD8(32, Y2, Y3)
	ADD8(64, Y4, Y5)
	ADD8(96, Y6, Y7)
	NEXT(row32)
	JMP store

row24:
	ROW
	ADD8(0, Y0, Y1)
	ADD8(32, Y2, Y3)
	ADD8(64, Y4, Y5)
	NEXT(row24)
	JMP store

row16:
	ROW
	ADD8(0, Y0, Y1)
	ADD8(32, Y2, Y3)
	NEXT(row16)
	JMP store

row8:
	ROW
	ADD8(0, Y0, Y1)
	NEXT(row8)

store:
	STORE(0, Y0, Y1)
	CMPQ R9, $16
	JLT  done
	STORE(64, Y2, Y3)
	CMPQ R9, $24
	JLT  done
	STORE(128, Y4, Y5)
	CMPQ R9, $32
	JLT  done
	STORE(192, Y6, Y7)

done:
	VZEROUPPER
	RET

// func addOuterAVX2(data *float32, stride int, features *int32, values *float32, n int, u *float32)
// stride, in bytes, is a multiple of 32, n at least 1. The next row is loaded into the cache
// meanwhile.
TEXT ·addOuterAVX2(SB), NOSPLIT, $0-48
	MOVQ data+0(FP), DI
	MOVQ stride+8(FP), R8
	MOVQ features+16(FP), SI
	MOVQ values+24(FP), DX
	MOVQ n+32(FP), CX
	MOVQ u+40(FP), R9
	MOVLQSX (SI), R10
	IMULQ   R8, R10
	ADDQ    DI, R10 // the row

feature:
	VBROADCASTSS (DX), Y0
	MOVQ         R10, R11 // the next row, or the same
	CMPQ         CX, $1
	JEQ          last
	MOVLQSX      4(SI), R11
	IMULQ        R8, R11
	ADDQ         DI, R11

last:
	XORQ BX, BX

column:
	PREFETCHT0 (R11)(BX*1)
	VMULPS     (R9)(BX*1), Y0, Y1
	VADDPS     (R10)(BX*1), Y1, Y1
	VMOVUPS    Y1, (R10)(BX*1)
	ADDQ       $32, BX
	CMPQ       BX, R8
	JLT        column
	MOVQ       R11, R10
	ADDQ       $4, SI
	ADDQ       $4, DX
	DECQ       CX
	JNZ        feature
	VZEROUPPER
	RET
