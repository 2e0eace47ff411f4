#include "linops/scratch.h"

#include "misc/mem.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/md/distributed.h"
#include "num/md/multind.h"

void *scratch_get(struct scratch *s, enum dtype type, long n, const void *ref)
{
	long bytes = mul_checked(n, (long)dtype_size(type), "an operator's scratch memory");

	if (s->p != NULL && s->bytes >= bytes && md_is_sameplace(s->p, ref))
		return s->p;

	scratch_free(s);
	s->p = md_alloc_sameplace(1, &n, dtype_size(type), ref);
	s->bytes = bytes;
	distributed_release(n, dtype_size(type), s->p, 0, n);

	return s->p;
}

void scratch_free(struct scratch *s)
{
	if (s->p != NULL)
		md_free(s->p);

	*s = (struct scratch){0};
}

const void *scratch_near(struct scratch *s, const void *here, size_t bytes, const void *ref)
{
	if (!device_holds(ref))
		return here;

	if (NULL == s->p)
		*s = (struct scratch){place_bring(here, bytes), (long)bytes};

	return s->p;
}
