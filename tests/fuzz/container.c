/** The headers of .npy and .ra files are read, written again if the format has the type, and read back. */

#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "misc/error.h"
#include "misc/file/container.h"

struct file {
	const struct container *container;
	const uint8_t *data;
	size_t size;
};

static void rewrite(const struct container *c, const struct hdr *h, long bytes)
{
	struct hdr back;
	long length, offset;
	bool c_order;
	char *head = c->format(h, &length, "written");
	int fd = fuzz_file(head, (size_t)length);

	FUZZ_EXPECT(0 == ftruncate(fd, length + bytes), "no file in memory");
	c->read(&back, fd, length + bytes, &offset, &c_order, "read back");
	FUZZ_EXPECT(offset == length && !c_order && back.type == h->type &&
	                    0 == memcmp(back.dims, h->dims, sizeof h->dims),
	        "a header changes when it is written and read");
	free(head);
	hdr_free(&back);
}

static void read_file(void *ctx)
{
	const struct file *f = ctx;
	struct hdr h;
	long offset;
	bool c_order;
	int fd = fuzz_file(f->data, f->size);

	f->container->read(&h, fd, (long)f->size, &offset, &c_order, "fuzz");

	long bytes = hdr_bytes(&h, "fuzz");

	FUZZ_EXPECT(0 <= offset && offset <= (long)f->size && bytes <= (long)f->size - offset,
	        "elements at %ld, %ld bytes of %zu", offset, bytes, f->size);
	rewrite(f->container, &h, bytes);
	hdr_free(&h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct container *all[] = {&container_npy, &container_ra};

	for (int i = 0; i < 2; i++) {
		struct file f = {all[i], data, size};

		FUZZ_EXPECT(EXIT_USAGE != fuzz_run(read_file, &f),
		        "a file is called a mistake of the command line");
		FUZZ_EXPECT(0 != strncmp(fuzz_sentence(), "read back", 9), "what was written is refused: %s",
		        fuzz_sentence());
	}

	return 0;
}
