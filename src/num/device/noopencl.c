/* Builds without OpenCL (OPENCL=0). */

#include "num/device/opencl.h"

#include "num/device/absent.h"
#include "num/expr/expr_opencl.h"

ABSENT(bool, opencl_built, (void), false);
ABSENT(bool, opencl_used, (void), false);
ABSENT(bool, opencl_has_float64, (void), false);
ABSENT(const char *, opencl_name, (void), "");
ABSENT(bool, expr_opencl_takes, (const struct expr_plan *p, struct cfl *const out[], struct cfl *const in[]),
        false);
REFUSED(bool, expr_opencl_pass_files,
        (struct expr_run * r, const struct expr_pass *q, struct cfl *const out[], struct cfl *const in[]));
REFUSED(void, expr_opencl_run,
        (const struct expr_plan *p, struct array *const out[], const struct array *const in[]));
ABSENT_VOID(opencl_rest, (void));
ABSENT(bool, opencl_asked, (void), false);

void opencl_use(const char *which, const char *what)
{
	error("%s: no OpenCL device can be used: built without OpenCL%s%s", what, which ? ", found " : "",
	        which ? which : "");
}
