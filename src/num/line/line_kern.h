#ifndef NUM_LINE_LINE_KERN_H
#define NUM_LINE_LINE_KERN_H

#include <stdbool.h>
#include <stdint.h>

/** A program is a list of steps that are applied to lines. A line has contiguous elements of type float32 or
 * float64. Steps keep values in the accumulator, which is a few registers. Results are bit-identical to
 * those of the kernels of num/kern/kern.h. */

enum line_op {
	LINE_ADD,    // x + y
	LINE_SUB,    // x - y
	LINE_MUL,    // x y
	LINE_DIV,    // x / y
	LINE_SQUARE, // x x
	LINE_NEG,    // -x
	LINE_LARGER, // the larger of x and y, or NaN
	LINE_SQRT,
	LINE_EXP,
	LINE_MULADD, // x y + z, rounded twice
	LINE_ADD3,   // z + (x + y)
	LINE_TAP     // adds a weighted neighbour: see struct line_step
};

/** Places of the operands of a step, and targets of the result. */
enum line_place { LINE_A, LINE_M, LINE_K }; // accumulator, line, single number
enum line_target { LINE_TO_A, LINE_TO_M, LINE_TO_BOTH };

/** Encodes an operator, the places of its operands and the target of the result. Sums and products take their
 * operands in the order LINE_A, LINE_M, LINE_K. Unused operands are LINE_A. Only LINE_MULADD and LINE_ADD3
 * use the operand z. */
#define LINE_CODE(op, x, y, z, to) (((((op)*3 + (x)) * 3 + (y)) * 3 + (z)) * 3 + (to))

#define LINE_TAP_CODE LINE_CODE(LINE_TAP, LINE_M, LINE_M, LINE_K, LINE_TO_M)

/**
 * The step LINE_TAP adds the weight w of a neighbour x of element c to line `to`, and w x to line `sum`:
 *
 *     w = max(exp(max((x - c)^2 k + f, low)) - tiny, 0)
 *
 * The operands x, c, k, f, low, tiny and 0 are line[0] to line[6]. LINE_TAP does not use the accumulator.
 */
struct line_step {
	uint16_t code;
	uint16_t to, sum;  // indices in base[] of the results
	uint16_t line[7];  // indices in base[] of the operands
	int32_t offset[3]; // of the first three operands [bytes]
};

/** One call of run_wide() runs a program on `wide` elements. One call of run_narrow() runs a program on
 * `narrow` elements. */
struct line_set {
	long wide, narrow;
	/** Runs n steps on the elements at base[line] + offset. Returns true if a square root of a negative
	 * number occurred. Addresses need no alignment. */
	bool (*run_wide)(const struct line_step *s, int n, char *const base[]);
	bool (*run_narrow)(const struct line_step *s, int n, char *const base[]);
};

enum { LINE_WIDE_BYTES = 512 }; // largest size of `wide` elements

/** Element 0 is for float32, element 1 for float64. The AVX2 and AVX-512 kernels exist on x86-64 only. */
extern const struct line_set line_kern_plain[2], line_kern_avx2[2], line_kern_avx512[2];

#endif
