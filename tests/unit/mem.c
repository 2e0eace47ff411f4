/** Tests of memory, growing strings, quoting, checked sizes. */

#include <limits.h>
#include <stdint.h>

#include "check.h"
#include "misc/file/memory.h"
#include "misc/mem.h"

static void test_alloc(void)
{
	bool aligned = true;

	for (size_t n = 0; n < 300; n += 7) {
		char *p = mem_alloc(n);
		aligned = aligned && (uintptr_t)p % 64 == 0;
		memset(p, 1, n);
		free(p);
	}
	check(aligned, "mem_alloc aligns to 64 bytes");

	char *z = mem_calloc(100, 3);
	bool zero = true;
	for (int i = 0; i < 300; i++)
		zero = zero && z[i] == 0;
	check(zero, "mem_calloc gives zeros");
	free(z);
}

/* The heap does not grow with the number of blocks that are allocated and freed in turn. */
static void test_reuse(void)
{
#if !defined(__SANITIZE_ADDRESS__) // it keeps freed blocks
	enum { SIZE = 3 << 20, ROUNDS = 20 };
	long before = 0;
	bool aligned = true;

	free(mem_alloc(3 * SIZE)); // from now on such blocks are not mappings of their own

	for (int round = 0; round < ROUNDS; round++) {
		char *p = mem_alloc(SIZE);
		char *q = mem_alloc(SIZE / 2);

		memset(p, 1, SIZE);
		memset(q, 1, SIZE / 2);
		aligned = aligned && (uintptr_t)p % 64 == 0 && (uintptr_t)q % 64 == 0;
		free(p);
		free(q);
		before = (0 == round) ? memory_private() : before;
	}

	check(aligned, "large blocks are aligned");
	check(memory_private() - before < 2 * SIZE, "freed blocks are used again");
#endif
}

static void test_work(void)
{
	char *p = mem_work(1000), *q = mem_work(1000);

	check(p != q && (uintptr_t)p % 64 == 0 && (uintptr_t)q % 64 == 0,
	        "work space is aligned, and not shared");
	memset(p, 1, 1000);
	memset(q, 2, 1000);
	mem_work_end(q);
	mem_work_end(p);

	char *r = mem_work(900);

	check(r == p, "the last block is used again");
	mem_work_end(r);
	r = mem_work(3000);
	memset(r, 3, 3000);
	mem_work_end(r);
	mem_work_free();
	mem_work_free();
}

static void too_much(void)
{
	mem_alloc(SIZE_MAX / 2);
}

static void too_many(void)
{
	mem_calloc(SIZE_MAX / 2, 4);
}

static void product(void)
{
	mul_checked(1L << 32, 1L << 31, "dims of vol");
}

static void sum(void)
{
	add_checked(LONG_MAX, 1, "sizes");
}

static void negative(void)
{
	mul_checked(-1, 1, "dims of vol");
}

static void negative_second(void)
{
	mul_checked(1, -1, "dims of vol");
}

static void negative_sum(void)
{
	add_checked(1, -1, "sizes");
}

static void test_limits(void)
{
	check_ends(1, "out of memory", too_much, "a request beyond all memory is an error");
	check_ends(1, "out of memory", too_many, "count times size beyond 64 bits is an error");
	check_ends(1, "dims of vol", product, "a product of 2^63 is an error");
	check_ends(1, "sizes", sum, "a sum of 2^63 is an error");
	check_ends(1, "dims of vol", negative, "a negative factor is an error");
	check_ends(1, "dims of vol", negative_second, "a negative second factor is an error");
	check_ends(1, "sizes", negative_sum, "a negative term is an error");
	check(mul_checked(1L << 31, 1L << 31, "x") == 1L << 62, "a product of 2^62 is right");
	check(mul_checked(0, LONG_MAX, "x") == 0 && mul_checked(LONG_MAX, 0, "x") == 0,
	        "nothing times the largest is nothing, either way");
	check(add_checked(LONG_MAX - 1, 1, "x") == LONG_MAX && add_checked(0, 0, "x") == 0,
	        "sums from nothing up to the largest are right");
}

static bool equals(struct str *s, const char *want)
{
	const bool same = s->data && !strcmp(s->data, want) && s->len == strlen(want);

	free(s->data);
	*s = (struct str){0};
	return same;
}

static void test_strings(void)
{
	struct str s = {0};

	for (int i = 0; i < 1000; i++)
		str_printf(&s, "%d,", i % 10);
	check(s.len == 2000 && s.data[2000] == 0 && !strncmp(s.data + 1990, "5,6,7,8,9,", 10),
	        "a string grows");
	free(s.data);

	s = (struct str){0};
	str_addn(&s, "abcdef", 3);
	str_add(&s, "");
	check(equals(&s, "abc"), "part of a text");

	char *p = mem_printf("%s-%03d", "x", 7);
	check(!strcmp(p, "x-007"), "mem_printf");
	free(p);
}

static void test_quoting(void)
{
	struct str s = {0};

	str_add_shell(&s, "plain-name_1.cfl");
	check(equals(&s, "plain-name_1.cfl"), "a plain word needs no quotes");
	str_add_shell(&s, "");
	check(equals(&s, "''"), "an empty word is quoted");
	str_add_shell(&s, "it's $HOME");
	check(equals(&s, "'it'\\''s $HOME'"), "a quote and a dollar are quoted");
	str_add_shell(&s, "@0123");
	check(equals(&s, "'@0123'"), "a name that looks like a history word is quoted");
	str_add_shell(&s, "~");
	check(equals(&s, "'~'"), "a tilde is quoted");

	str_add_json(&s, "a\"b\\c\n\t\x01\xc3\xa9");
	check(equals(&s, "\"a\\\"b\\\\c\\n\\t\\u0001\xc3\xa9\""), "JSON escapes");
}

int main(void)
{
	test_alloc();
	test_reuse();
	test_work();
	test_limits();
	test_strings();
	test_quoting();
	return checks_failed > 0;
}
