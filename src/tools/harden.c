/* Correction of beam hardening. */

#include <math.h>
#include <stdlib.h>

#include "correct/harden.h"
#include "ct/geometry/views.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "num/kern/convert.h"
#include "num/md/flpmath.h"
#include "num/shape/slabs.h"

int main_harden(int argc, char *argv[]);

struct harden {
	struct opt_doubles c;       // polynomial
	struct harden_table *table; // or NULL
	bool paths;
	long bad; // results that are not finite
};

static void block(void *ctx, long first, long n, void *out, const void *const in[])
{
	struct harden *z = ctx;
	const double *p = in[0], *t2 = z->paths ? in[1] : NULL;
	double *y = out;
	long bad = 0;

	(void)first;

	for (long i = 0; i < n; i++) {
		y[i] = z->table ? harden_table_value(z->table, p[i], t2 ? t2[i] : 0.)
		                : harden_polynomial(z->c.n, z->c.v, p[i]);
		bad += !isfinite(y[i]);
	}

#pragma omp atomic
	z->bad += bad;
}

/** The polynomial; tables are looked up by the CPU. */
static void block_on_device(void *ctx, long first, long n, void *out, const void *const in[])
{
	struct harden *z = ctx;
	const long strs[1] = {sizeof(double)}, *const operands[2] = {strs, strs};
	const void *sum = NULL;

	(void)first;

	for (int k = z->c.n - 1; k >= 0; k--) { // sum = (sum + c) p
		struct md_chain f = {0};
		int p = chain_operand(&f, DT_FLOAT64), s = (NULL == sum) ? -1 : chain_operand(&f, DT_FLOAT64);
		int c = chain_constant(&f, DT_FLOAT64, 0. + z->c.v[k]);

		chain_op2(&f, OP_MUL, (NULL == sum) ? c : chain_op2(&f, OP_ADD, s, c), p);
		md_chain(&f, DT_FLOAT64, 1, &n, strs, out, operands, (const void *const[]){in[0], sum});
		sum = out;
	}

	z->bad += vec_count_nonfinite(DT_FLOAT64, n, out);
}

/** Coefficients from the steps of a wedge; recorded, as the file is. */
static void calibrate(struct harden *z, const char *path, long degree, double reference)
{
	long n;
	double *x = file_read_numbers(path, &n);

	if (n < 2 || n % 2)
		error("%s contains %ld numbers, expected two columns: thickness [mm] and line integral", path,
		        n);

	double *t = mem_alloc((size_t)n * sizeof *t), *p = t + n / 2;

	for (long i = 0; i < n / 2; i++) {
		t[i] = x[2 * i];
		p[i] = x[2 * i + 1];
	}

	z->c.n = (int)degree;

	const double worst = harden_fit(n / 2, t, p, z->c.n, reference, z->c.v);

	struct str s = {0};

	for (int k = 0; k < z->c.n; k++)
		str_printf(&s, "%s%.9g", k ? ":" : "", z->c.v[k]);

	info("polynomial %s; the steps deviate from this polynomial by up to %.3g mm", s.data, worst);
	free(s.data);
	free(t);
	free(x);
}

/** The longest way through the second material. */
static double longest(struct cfl *f)
{
	double most = 0.;
	const char *all = cfl_map(f);
	const long step = (long)dtype_size(f->hdr.type);

	for (long i = 0; i < f->count; i += SLAB_BLOCK) {
		double x[SLAB_BLOCK / 8];

		for (long at = i; at < f->count && at < i + SLAB_BLOCK; at += SLAB_BLOCK / 8) {
			const long n = (f->count - at < SLAB_BLOCK / 8) ? f->count - at : SLAB_BLOCK / 8;

			convert(DT_FLOAT64, x, f->hdr.type, all + at * step, n, NARROW_SATURATE);

			for (long k = 0; k < n; k++)
				if (!(x[k] >= 0. && x[k] < 1e9))
					error("%s: element %ld is %g, expected lengths [mm]", f->name, at + k,
					        x[k]);
				else if (x[k] > most)
					most = x[k];
		}
	}

	return most;
}

int main_harden(int argc, char *argv[])
{
	struct harden z = {0};
	double energy = NAN, reference = NAN;
	long degree = 0;
	int type = -1;
	const char *steps = NULL, *spectrum = NULL, *first = NULL, *second = NULL, *paths = NULL;
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_DOUBLES('p', "polynomial", &z.c, "C1:C2:..", 0, 0, "OUT = C1 p + C2 p^2 + .."),
	        OPT_INFILE('w', "steps", &steps, "FILE",
	                "measured steps of a wedge: file of thickness [mm] and line integral"),
	        OPT_LONG('d', "degree", &degree, "N", 1, 8,
	                "steps: degree of the fitted polynomial (default: 4)"),
	        OPT_DOUBLE('r', "reference", &reference, "MU", 1e-9, 1e9,
	                "steps: attenuation of the result [1/mm] (default: that of thin steps)"),
	        OPT_INFILE('s', "spectrum", &spectrum, "FILE",
	                "spectrum: file of energy [keV] and weight (photons times detector response)"),
	        OPT_INFILE('a', "attenuation", &first, "FILE",
	                "spectrum: file of energy [keV] and attenuation [1/mm]"),
	        OPT_DOUBLE('e', "energy", &energy, "KEV", 1e-3, 1e6,
	                "spectrum: energy of the result (default: the mean of the spectrum)"),
	        OPT_INFILE('b', "material2", &second, "FILE", "spectrum: attenuation of a second material"),
	        OPT_ARRAY('t', "paths", &paths, "T2", "second material: its length along every ray [mm]"),
	        OPT_TYPE(&type),
	        ARG_IN("PROJ", &in, "line integrals"),
	        ARG_OUT("OUT", &out, "monochromatic line integrals"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){.name = "harden",
	                .group = GROUP_CORRECT,
	                .synonyms = "beamhardening beam-hardening bhc",
	                .about = "Correct line integrals for beam hardening",
	                .details = "Three methods are available:\n\n"
	                           "polynomial: OUT is a given polynomial of the line integral p.\n"
	                           "steps: the thickness of the steps of a wedge is fitted by a "
	                           "polynomial in p without constant term. OUT is the fitted polynomial, "
	                           "multiplied by the attenuation of --reference.\n"
	                           "spectrum: the thickness t solves p = -log sum w(E) exp(-mu(E) t). OUT "
	                           "is mu t, with mu at --energy (Herman, Phys. Med. Biol. 24, 81, "
	                           "1979).\n\n"
	                           "The options --material2 and --paths add a second material, such as "
	                           "bone or metal. The length t2 of the second material along each ray "
	                           "must be known. To find t2, project the part of a first reconstruction "
	                           "above a threshold. The length t1 of the first material then solves p "
	                           "= -log sum w exp(-mu1 t1 - mu2 t2). OUT is mu1 t1 + mu2 t2, with mu1 "
	                           "and mu2 at --energy (Joseph and Spital, J. Comput. Assist. Tomogr. 2, "
	                           "100, 1978).\n\n"
	                           "Attenuation is interpolated linearly in the logarithms of attenuation "
	                           "and energy. With --spectrum, the result is extrapolated linearly "
	                           "above p = 20 and below p = -1.",
	                .examples = "gantry harden --polynomial 1:0.05 proj linear\n"
	                            "gantry harden --steps water.txt --degree 3 proj linear\n"
	                            "gantry harden --spectrum 120kV.txt --attenuation water.txt --energy 60 "
	                            "proj linear\n"
	                            "gantry harden --spectrum 120kV.txt --attenuation water.txt --material2 "
	                            "bone.txt --paths bone proj linear",
	                .opts = opts},
	        argc, argv);

	if (1 != (0 < z.c.n) + (NULL != steps) + (NULL != spectrum))
		usage_error("expected one of --polynomial, --steps and --spectrum");

	if ((NULL != spectrum) != (NULL != first))
		usage_error("--spectrum and --attenuation must be given together");

	if ((NULL != second) != (NULL != paths) || (NULL != second && NULL == spectrum))
		usage_error("--material2 and --paths must be given together, with --spectrum");

	if (NULL == steps && (0 < degree || !isnan(reference)))
		usage_error("--%s requires --steps", (0 < degree) ? "degree" : "reference");

	if (NULL == spectrum && !isnan(energy))
		usage_error("--energy requires --spectrum");

	struct cfl *f[2] = {cfl_open(in), paths ? cfl_open(paths) : NULL};
	struct beam s;
	struct hdr h;

	cfl_expect_real(f[0]);
	views_expect_line_integrals(f[0]);

	if (NULL != paths) {
		cfl_expect_real(f[1]);
		cfl_same_dims(f[0], f[1], DIMS);
	}

	if (NULL != steps)
		calibrate(&z, steps, (0 < degree) ? degree : 4, reference);

	if (NULL != spectrum) {
		beam_read(&s, spectrum, first, second, energy);
		z.table = harden_table_create(&s, paths ? longest(f[1]) : 0.);
		z.paths = NULL != paths;
		tool_record("energy", "%.17g", s.reference);
		verbose("attenuation at %g keV: %g %g 1/mm", s.reference, s.mu0[0], s.mu0[1]);
		beam_free(&s);
	}

	hdr_copy(&h, &f[0]->hdr);
	h.type = views_type(type, h.type);

	struct cfl *y = cfl_create(out, &h);

	hdr_free(&h);
	slabs_run_anywhere(y, DT_FLOAT64, paths ? 2 : 1, f, (const enum dtype[]){DT_FLOAT64, DT_FLOAT64},
	        block, z.table ? NULL : block_on_device, &z, "harden");

	if (z.bad)
		error("%s: %ld of %ld results are not finite, expected finite line integrals", f[0]->name,
		        z.bad, f[0]->count);

	if (NULL != z.table)
		harden_table_free(z.table);

	cfl_close(f[0]);

	if (NULL != paths)
		cfl_close(f[1]);

	cfl_close(y);
	leave(EXIT_DONE);
}
