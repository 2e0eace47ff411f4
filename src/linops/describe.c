/* Operators as text: one line for each operator, followed by lines of its components. */

#include <stdlib.h>

#include "linops/fit.h"
#include "linops/linop.h"
#include "misc/mem.h"

static void add(struct str *s, const struct linop *A, int depth)
{
	str_printf(s, "%*s", 2 * depth, "");

	if (NULL == A) {
		str_add(s, "zero\n");
		return;
	}

	str_printf(s, "%s: %s -> ", linop_name(A), fit_shape(linop_domain(A)));
	str_printf(s, "%s%s%s\n", fit_shape(linop_codomain(A)), depth ? "" : ", ",
	        depth ? "" : dtype_name(linop_type(A)));

	const struct linop *const *parts = NULL;
	const int n = linop_parts(A, &parts);

	for (int i = 0; i < n; i++)
		add(s, parts[i], depth + 1);
}

char *linop_text(const struct linop *A)
{
	struct str s = {0};

	add(&s, A, 0);

	return s.data;
}

void linop_print(const struct linop *A, FILE *out)
{
	char *text = linop_text(A);

	fputs(text, out);
	free(text);
}
