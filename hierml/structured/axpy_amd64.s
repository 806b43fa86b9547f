//go:build !noasm

#include "textflag.h"

// func axpyAVX2(dst *float64, x float64, row, next *float32, n int)
// n is a multiple of 8.
TEXT ·axpyAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	VBROADCASTSD x+8(FP), Y0
	MOVQ row+16(FP), SI
	MOVQ next+24(FP), DX
	MOVQ n+32(FP), CX
	SUBQ $16, CX
	JL   eight

sixteen:
	PREFETCHT0 (DX)
	VCVTPS2PD (SI), Y1
	VCVTPS2PD 16(SI), Y2
	VCVTPS2PD 32(SI), Y3
	VCVTPS2PD 48(SI), Y4
	VMULPD    Y0, Y1, Y1
	VMULPD    Y0, Y2, Y2
	VMULPD    Y0, Y3, Y3
	VMULPD    Y0, Y4, Y4
	VADDPD    (DI), Y1, Y1
	VADDPD    32(DI), Y2, Y2
	VADDPD    64(DI), Y3, Y3
	VADDPD    96(DI), Y4, Y4
	VMOVUPD   Y1, (DI)
	VMOVUPD   Y2, 32(DI)
	VMOVUPD   Y3, 64(DI)
	VMOVUPD   Y4, 96(DI)
	ADDQ      $64, SI
	ADDQ      $64, DX
	ADDQ      $128, DI
	SUBQ      $16, CX
	JGE       sixteen

eight:
	ADDQ $16, CX
	JZ   done
	VCVTPS2PD (SI), Y1
	VCVTPS2PD 16(SI), Y2
	VMULPD    Y0, Y1, Y1
	VMULPD    Y0, Y2, Y2
	VADDPD    (DI), Y1, Y1
	VADDPD    32(DI), Y2, Y2
	VMOVUPD   Y1, (DI)
	VMOVUPD   Y2, 32(DI)

done:
	VZEROUPPER
	RET
