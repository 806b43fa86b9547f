//go:build !noasm

#include "textflag.h"

// TWO makes AX and BX the two features at an offset in bytes.
#define TWO(at) \
	MOVQ at(SI), AX; \
	MOVL AX, BX; \
	SHRQ $32, AX

// DOT2 adds the products of two features and their weights to sums.
#define DOT2(at, sums) \
	TWO(at); \
	VMOVSD    (DI)(BX*8), X4; \
	VMOVHPD   (DI)(AX*8), X4, X4; \
	VCVTPS2PD at(DX), X5; \
	VMULPD    X5, X4, X4; \
	VADDPD    X4, sums, sums

// TOTAL adds up the sums in X0 to X3 in the order of the portable form.
#define TOTAL \
	VADDPD    X2, X0, X0; \
	VADDPD    X3, X1, X1; \
	VADDPD    X1, X0, X0; \
	VUNPCKHPD X0, X0, X1; \
	VADDSD    X1, X0, X0

// func dotAVX(w *float64, features *int32, values *float32, n int) float64
TEXT ·dotAVX(SB), NOSPLIT, $0-40
	MOVQ   w+0(FP), DI
	MOVQ   features+8(FP), SI
	MOVQ   values+16(FP), DX
	MOVQ   n+24(FP), CX
	VXORPD X0, X0, X0
	VXORPD X1, X1, X1
	VXORPD X2, X2, X2
	VXORPD X3, X3, X3
	SUBQ   $8, CX
	JLT    rest

eight:
	DOT2(0, X0)
	DOT2(8, X1)
	DOT2(16, X2)
	DOT2(24, X3)
	ADDQ $32, SI
	ADDQ $32, DX
	SUBQ $8, CX
	JGE  eight

rest:
	ADDQ $8, CX
	JZ   done

one:
	MOVL      (SI), BX
	VMOVSS    (DX), X5
	VCVTSS2SD X5, X5, X5
	VMULSD    (DI)(BX*8), X5, X5
	VADDSD    X5, X0, X4
	VMOVSD    X4, X0, X0
	ADDQ      $4, SI
	ADDQ      $4, DX
	DECQ      CX
	JNZ       one

done:
	TOTAL
	VMOVSD X0, ret+32(FP)
	RET

// func dotAllAVX(w *float64, values *float32, n int) float64
TEXT ·dotAllAVX(SB), NOSPLIT, $0-32
	MOVQ   w+0(FP), DI
	MOVQ   values+8(FP), DX
	MOVQ   n+16(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y2, Y2, Y2
	SUBQ   $8, CX
	JLT    rest

eight:
	VCVTPS2PD (DX), Y4
	VCVTPS2PD 16(DX), Y5
	VMULPD    (DI), Y4, Y4
	VMULPD    32(DI), Y5, Y5
	VADDPD    Y4, Y0, Y0
	VADDPD    Y5, Y2, Y2
	ADDQ      $32, DX
	ADDQ      $64, DI
	SUBQ      $8, CX
	JGE       eight

rest:
	VEXTRACTF128 $1, Y0, X1
	VEXTRACTF128 $1, Y2, X3
	ADDQ         $8, CX
	JZ           done

one:
	VMOVSS    (DX), X5
	VCVTSS2SD X5, X5, X5
	VMULSD    (DI), X5, X5
	VADDSD    X5, X0, X4
	VMOVSD    X4, X0, X0
	ADDQ      $4, DX
	ADDQ      $8, DI
	DECQ      CX
	JNZ       one

done:
	TOTAL
	VMOVSD     X0, ret+24(FP)
	VZEROUPPER
	RET

// func addAllAVX(w *float64, scale float64, values *float32, n int)
TEXT ·addAllAVX(SB), NOSPLIT, $0-32
	MOVQ         w+0(FP), DI
	VBROADCASTSD scale+8(FP), Y0
	MOVQ         values+16(FP), DX
	MOVQ         n+24(FP), CX
	SUBQ         $4, CX
	JLT          rest

four:
	VCVTPS2PD (DX), Y4
	VMULPD    Y0, Y4, Y4
	VADDPD    (DI), Y4, Y4
	VMOVUPD   Y4, (DI)
	ADDQ      $16, DX
	ADDQ      $32, DI
	SUBQ      $4, CX
	JGE       four

rest:
	ADDQ $4, CX
	JZ   done

one:
	VMOVSS    (DX), X4
	VCVTSS2SD X4, X4, X4
	VMULSD    X0, X4, X4
	VADDSD    (DI), X4, X4
	VMOVSD    X4, (DI)
	ADDQ      $4, DX
	ADDQ      $8, DI
	DECQ      CX
	JNZ       one

done:
	VZEROUPPER
	RET
