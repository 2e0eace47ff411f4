#ifndef NUM_LINE_LINE_KERN_H
#define NUM_LINE_LINE_KERN_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Short programs over lines of float32 or float64. All steps are applied to an accumulator of several
 * registers before the next elements are loaded. Sums of neighbours therefore store no intermediate results.
 * Operators and rounding are as in num/kern/kern.h, so results are bit-identical to those of its kernels.
 */

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
	LINE_TAP     // a weighted neighbour: see struct line_step
};

/** The place of an operand, and of the result. */
enum line_place { LINE_A, LINE_M, LINE_K }; // the accumulator, a line, one number
enum line_target { LINE_TO_A, LINE_TO_M, LINE_TO_BOTH };

/** Steps exist only for certain orders of operands: in sums and products, LINE_A precedes LINE_M, and LINE_M
 * precedes LINE_K. Unused operands are LINE_A. Only LINE_MULADD and LINE_ADD3 use the operand z. */
#define LINE_CODE(op, x, y, z, to) (((((op)*3 + (x)) * 3 + (y)) * 3 + (z)) * 3 + (to))

#define LINE_TAP_CODE LINE_CODE(LINE_TAP, LINE_M, LINE_M, LINE_K, LINE_TO_M)

/**
 * LINE_TAP adds a neighbour x of c to two sums, which are lines, as a bilateral filter does:
 *   w = max(exp(max((x - c)^2 k + f, low)) - tiny, 0),  line `to` += w,  line `sum` = w x + line `sum`
 * where x, c, k, f, low, tiny, 0 are line[0] to line[6]. The value of the accumulator is discarded.
 */
struct line_step {
	uint16_t code;
	uint16_t to, sum;  // lines
	uint16_t line[7];  // of the operands that are lines or numbers
	int32_t offset[3]; // of the first three [bytes]
};

/** wide, narrow: elements of a line that one call of run_wide() or run_narrow() computes. */
struct line_set {
	long wide, narrow;
	/** Runs all steps on the elements at base[line] + offset. Returns true if a square root of a negative
	 * number occurred. Bases need no alignment. */
	bool (*run_wide)(const struct line_step *s, int n, char *const base[]);
	bool (*run_narrow)(const struct line_step *s, int n, char *const base[]);
};

enum { LINE_WIDE_BYTES = 512 }; // of a line that `wide` computes at most

/** [0]: float32, [1]: float64. The kernels for AVX2 and AVX-512 exist on x86-64 only. */
extern const struct line_set line_kern_plain[2], line_kern_avx2[2], line_kern_avx512[2];

#endif
