/* Back projection of filtered views, any geometry: bilinear between pixels, 0 outside the detector. The
 * detector position of a voxel is computed in float64. real: type of the data, float or double. */

/** Pixel (a, b); 0 outside the detector. */
DEVICE_FN real pixel(const struct spread_work *w, __global const real *q, long a, long b)
{
	return (a >= 0 && a < w->cols && b >= 0 && b < w->rows) ? q[b * w->cols + a] : (real)0;
}

DEVICE_FN real seen(const struct spread_work *w, __global const struct fbp_view *view, const double x[3],
        __global const real *q)
{
	const struct fbp_view v = *view;
	struct fbp_hit s;
	double at[3];

	for (int r = 0; r < 3; r++)
		at[r] = v.to[r][0] * x[0] + v.to[r][1] * x[1] + v.to[r][2] * x[2] + v.to[r][3];

	if (v.curved)
		fbp_hit_curved(&s, &v, at, 0.);
	else
		fbp_hit_flat(&s, at, 0.);

	const double a = fbp_clamp(s.col, -1., (double)w->cols) + 1.,
	             b = fbp_clamp(s.row, -1., (double)w->rows) + 1.;
	const long i = (long)a, j = (long)b;
	const real left = (real)(s.weight * (1. - (a - (double)i))),
	           right = (real)(s.weight * (a - (double)i)), up = (real)(b - (double)j);
	const real below = left * pixel(w, q, i - 1, j - 1) + right * pixel(w, q, i, j - 1),
	           above = left * pixel(w, q, i - 1, j) + right * pixel(w, q, i, j);

	return below + up * (above - below);
}

__kernel void add_views(struct spread_work w, __global const struct fbp_view *views, long views_at,
        __global real *vol, long vol_at, __global const real *q, long q_at)
{
	const long x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
	const double at[3] = {w.origin[0] + (double)x * w.spacing[0], w.origin[1] + (double)y * w.spacing[1],
	        w.origin[2] + (double)(w.slice + z) * w.spacing[2]};
	real sum = 0;

	if (x >= w.nx || y >= w.ny)
		return;

	for (long k = 0; k < w.views; k++)
		sum += seen(&w, AT(const struct fbp_view, views, views_at) + w.first + k, at,
		        AT(const real, q, q_at) + k * w.rows * w.cols);

	AT(real, vol, vol_at)[((z * w.ny + y) * w.nx + x) * w.step] += sum;
}
