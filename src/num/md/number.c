#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "num/md/number.h"

#include "misc/mem.h"

/** The shortest text from which the same float is read; "+" before positive numbers if requested. */
static void add_float(struct str *s, float v, bool sign)
{
	char text[40];
	int digits = 6;

	do
		snprintf(text, sizeof text, sign ? "%+.*g" : "%.*g", digits, (double)v);
	while (++digits <= 9 && strtof(text, NULL) != v);

	str_add(s, text);
}

static void add_double(struct str *s, double v, bool sign)
{
	if (sign && !signbit(v))
		str_add(s, "+");

	str_add_double(s, v, 15);
}

char *number_text(enum dtype t, const void *value)
{
	struct str s = {0};

	switch (t) {
	case DT_BOOL:
		return mem_strdup(*(const uint8_t *)value ? "1" : "0");
	case DT_INT64:
		return mem_printf("%lld", (long long)*(const int64_t *)value);
	case DT_UINT64:
		return mem_printf("%llu", (unsigned long long)*(const uint64_t *)value);
	case DT_FLOAT32:
		add_float(&s, *(const float *)value, false);
		break;
	case DT_COMPLEX64:
		add_float(&s, ((const float *)value)[0], false);
		add_float(&s, ((const float *)value)[1], true);
		str_add(&s, "i");
		break;
	case DT_COMPLEX128:
		add_double(&s, ((const double *)value)[0], false);
		add_double(&s, ((const double *)value)[1], true);
		str_add(&s, "i");
		break;
	default:
		add_double(&s, *(const double *)value, false);
	}

	return s.data;
}
