/* Directories of uncompressed TIFF files: libtiff finds the pages and their elements, in files below and over
 * 4 GiB. */

#include <fcntl.h>
#include <sys/stat.h>

#include "check.h"
#include "misc/formats/tiff.h"
#include "misc/formats/tiff_head.h"

/* A file of that shape, its elements a hole but for the first one of the last page. */
static long write_file(const char *path, const struct hdr *h, const double resolution[2], char version[2])
{
	const struct tiff_head t = {.h = h,
	        .description = "a description",
	        .sample_format = 1,
	        .rows = 7,
	        .resolution = {resolution[0], resolution[1]}};
	struct str s = tiff_head_format(&t);
	const long head = (long)s.len, bytes = hdr_bytes(h, path), page = h->dims[0] * h->dims[1];
	const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	const bool good = head == pwrite(fd, s.data, s.len, 0) && 0 == ftruncate(fd, head + bytes) &&
	                  1 == pwrite(fd, "\x2a", 1, head + bytes - page);

	version[0] = s.data[2];
	version[1] = s.data[3];
	free(s.data);
	close(fd);
	return good ? head : -1;
}

static void test(const char *path, long cols, long rows, long pages, bool big, const double resolution[2])
{
	struct tiff_page *list;
	struct tiff_about about;
	struct hdr h;
	char version[2];
	long n = 0;

	hdr_init(&h);
	hdr_set_dims(&h, 3, (long[3]){cols, rows, pages});
	h.type = DT_UINT8;
	check(write_file(path, &h, resolution, version) > 0 && version[0] == (big ? 43 : 42) &&
	                0 == version[1],
	        "%ld pages of %ld x %ld: %s", pages, cols, rows, big ? "BigTIFF" : "TIFF");

	char *why = tiff_scan(path, &list, &n);

	check(!why && n == pages, "libtiff finds the pages: %s", why ? why : "all");

	if (!why && n == pages) {
		unsigned char *page = mem_alloc((size_t)(cols * rows));
		const struct tiff_page *last = &list[n - 1];

		why = tiff_read(path, last, page);
		check(!why && last->width == cols && last->height == rows && 42 == page[0] &&
		                0 == page[cols * rows - 1],
		        "and the elements of the last one: %s", why ? why : "right");
		free(page);
	}

	tiff_about(path, &about);
	check(about.description && 0 == strcmp(about.description, "a description") &&
	                about.resolution[0] == (double)(float)resolution[0] &&
	                about.resolution[1] == (double)(float)resolution[1] && 3 == about.unit,
	        "description and resolution come back");
	free(about.description);
	free(list);
	free(why);
	hdr_free(&h);
}

int main(void)
{
	char path[SCRATCH];
	const int fd = mkstemp(scratch_name(path));

	close(fd);
	test(path, 13, 20, 4, false, (const double[2]){100., 100. / 3.});
	test(path, 3, 7, 1, false, (const double[2]){0.125, 1e6});
	test(path, 1024, 1024, 4500, true, (const double[2]){2.5, 1e-5});
	unlink(path);
	return checks_failed > 0;
}
