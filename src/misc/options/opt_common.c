/** The options that every tool has, and the environment. */

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file/memory.h"
#include "misc/file/resident.h"
#include "misc/looping/looping.h"
#include "misc/options/opt_internal.h"
#include "misc/options/parse.h"
#include "misc/printable.h"
#include "misc/ranks/ranks.h"

enum { THREADS_MOST = 1024, JOBS_MOST = 256 };

static struct {
	bool help, version, quiet, verbose, gpu_given, plan, profile, force, sync, no_clobber, interface;
	long threads; // 0 = not given
	long jobs;    // 0 = not given
	const char *gpu, *device, *loop;
	enum tool_device kind;
	int gpu_id;                             // -1 = any
	long need_bytes, need_files, may_bytes; // may: GANTRY_MEM, 0 = as much as there is
	double need_seconds;                    // [s]
} common;

const struct opt opt_common[] = {
        OPT_FLAG('h', "help", &common.help, "print this help"),
        OPT_FLAG(0, "version", &common.version, "print the version"),
        OPT_FLAG('q', "quiet", &common.quiet, "errors only"),
        OPT_FLAG('v', "verbose", &common.verbose, "say more"),
        OPT_LONG('j', "threads", &common.threads, "N", 1, THREADS_MOST,
                "threads, all processors unless given; the result does not depend on it"),
        {'g', "gpu", OPT_KIND_STRING, &common.gpu, "ID", "compute on the GPU (number ID), or fail",
                OPT_OPTIONAL, 0, 0, &common.gpu_given},
        OPT_STRING(0, "device", &common.device, "auto|cpu|gpu[:ID]", "where to compute"),
        OPT_FLAG(0, "plan", &common.plan, "print what memory, disk and time it takes, then stop"),
        OPT_FLAG(0, "profile", &common.profile, "print calls, seconds and bytes per primitive"),
        OPT_FLAG(0, "force", &common.force, "continue although the data or the geometry look wrong"),
        OPT_FLAG(0, "sync", &common.sync, "flush outputs to the disk before they get their names"),
        OPT_FLAG('n', "no-clobber", &common.no_clobber, "refuse to replace existing outputs"),
        OPT_STRING(0, "loop", &common.loop, "DIM[=RANGE],..",
                "run for every index of these dimensions of the inputs (see gantry help)"),
        OPT_LONG(0, "jobs", &common.jobs, "N", 1, JOBS_MOST, "how many of these at a time, 1 unless given"),
        OPT_FLAG(0, "interface", &common.interface, "print this command line's description as JSON"),
        OPT_END,
};

/** What the command that runs others was given, for those that are not given it themselves. */
static struct {
	bool on, quiet, verbose, profile, force, sync, no_clobber;
	void (*loop)(void);
	long threads;
	enum tool_device kind;
	int gpu_id;
} inherited;

void tool_inherit(void (*loop)(void))
{
	inherited.on = true;
	inherited.loop = loop;
	inherited.quiet = common.quiet;
	inherited.verbose = common.verbose;
	inherited.profile = common.profile;
	inherited.force = common.force;
	inherited.sync = common.sync;
	inherited.no_clobber = common.no_clobber;
	inherited.threads = tool_threads();
	inherited.kind = common.kind;
	inherited.gpu_id = common.gpu_id;
}

void tool_inherit_profile(void)
{
	inherited.profile = common.profile = true;
}

void opt_common_reset(void)
{
	memset(&common, 0, sizeof common);
	common.gpu_id = -1;
	log_level = 0;

	if (!inherited.on)
		return;

	common.profile = inherited.profile;
	common.force = inherited.force;
	common.sync = inherited.sync;
	common.no_clobber = inherited.no_clobber;
	common.kind = inherited.kind;
	common.gpu_id = inherited.gpu_id;
}

static void set_gpu_id(const char *text, const char *what)
{
	const long id = parse_long(text, what);

	if (id < 0 || id > 255)
		usage_error("%s: GPU number %ld, expected 0..255", what, id);
	common.gpu_id = (int)id;
}

static void (*choose_device)(enum tool_device kind, int id, const char *what);

void tool_on_device(void (*fn)(enum tool_device kind, int id, const char *what))
{
	choose_device = fn;
}

static void set_device(const char *text, const char *what)
{
	if (!strcmp(text, "auto"))
		common.kind = TOOL_DEVICE_AUTO;
	else if (!strcmp(text, "cpu"))
		common.kind = TOOL_DEVICE_CPU;
	else if (!strncmp(text, "gpu", 3) && (!text[3] || text[3] == ':'))
		common.kind = TOOL_DEVICE_GPU;
	else
		usage_error("%s: '%s' is none of auto, cpu, gpu, gpu:ID", what, text);
	if (common.kind == TOOL_DEVICE_GPU && text[3])
		set_gpu_id(text + 4, what);
}

static void apply_device(void)
{
	const char *environment = inherited.on ? NULL : getenv("GANTRY_DEVICE");
	const char *what = "--device";

	if (common.gpu_given) {
		if (common.device && strncmp(common.device, "gpu", 3) != 0)
			usage_error("--gpu and --device %s contradict each other", common.device);
		common.kind = TOOL_DEVICE_GPU;
		what = "--gpu";
		if (common.gpu)
			set_gpu_id(common.gpu, what);
	} else if (common.device) {
		set_device(common.device, what);
	} else if (environment && *environment) {
		what = "GANTRY_DEVICE";
		set_device(environment, what);
	}

	if (choose_device)
		choose_device(common.kind, common.gpu_id, what);
	else if (common.kind == TOOL_DEVICE_GPU)
		usage_error("%s: no GPU implementation", what);
}

static void apply_threads(void)
{
	const char *environment = getenv("GANTRY_THREADS");

	if (!common.threads && inherited.on)
		common.threads = inherited.threads;
	if (!common.threads && environment && *environment) {
		common.threads = parse_long(environment, "GANTRY_THREADS");
		if (common.threads < 1 || common.threads > THREADS_MOST)
			usage_error("GANTRY_THREADS: %ld, expected 1..%d", common.threads, THREADS_MOST);
	}
	if (common.threads)
		omp_set_num_threads((int)common.threads);
	else if (looping_jobs() > 1)
		omp_set_num_threads((int)((omp_get_num_procs() + looping_jobs() - 1) / looping_jobs()));

	// libraries run with one thread inside our own partition; read when they are opened
	setenv("OPENBLAS_NUM_THREADS", "1", 1);
}

static void apply_memory(void)
{
	const char *environment = getenv("GANTRY_MEM");

	if (!environment || !*environment)
		return;

	common.may_bytes = parse_bytes(environment, "GANTRY_MEM") / looping_jobs();

	if (0 == common.may_bytes)
		usage_error("GANTRY_MEM: '%s', expected a size above 0 like 512M, 4G or 1.5GiB", environment);
}

/** Kernels are chosen before main(), by this name (num/kern/kern.h). */
static void check_kernels(void)
{
	static const char *const names[] = {"", "plain", "avx2", "avx512"};
	const char *environment = getenv("GANTRY_ISA");
	bool known = (NULL == environment);

	for (int i = 0; i < 4 && !known; i++)
		known = (0 == strcmp(environment, names[i]));

	if (!known)
		usage_error("GANTRY_ISA: '%s', expected plain, avx2 or avx512", environment);
}

static void apply_resources(void)
{
	check_kernels();
	apply_memory();
	apply_threads();
	apply_device();
}

void opt_common_apply(void)
{
	const bool own = common.quiet || common.verbose;
	log_level = (own ? common.quiet : inherited.quiet)       ? -1
	            : (own ? common.verbose : inherited.verbose) ? 1
	                                                         : 0;
	if (ranks_rank() > 0)
		log_level = -1;
	if (common.jobs && !common.loop)
		usage_error("--jobs without --loop, expected the dimensions to loop over as well");

	if (common.loop && inherited.loop)
		inherited.loop();

	// threads and devices belong to the process that uses them
	if (common.loop)
		looping_arm(common.loop, common.jobs && !common.plan ? common.jobs : 1, apply_resources);
	else
		apply_resources();
}

bool opt_common_by_parts(void)
{
	return !common.plan && !inherited.on && common.kind != TOOL_DEVICE_GPU;
}

bool opt_common_loops(void)
{
	return common.loop != NULL;
}

bool tool_force(void)
{
	return common.force;
}

bool tool_plan(void)
{
	return common.plan;
}

bool tool_profile(void)
{
	return common.profile;
}

bool tool_sync(void)
{
	return common.sync;
}

bool tool_no_clobber(void)
{
	return common.no_clobber;
}

int tool_threads(void)
{
	return omp_get_max_threads();
}

void tool_needs(long private_bytes, double seconds)
{
	if (common.may_bytes && private_bytes > tool_memory() && !common.plan)
		error("%s of memory are needed, GANTRY_MEM allows %s", human_bytes((double)private_bytes),
		        human_bytes((double)tool_memory()));
	common.need_bytes = private_bytes;
	common.need_seconds = seconds;
}

void tool_needs_files(long bytes)
{
	common.need_files = bytes;
}

long tool_memory(void)
{
	const long held = resident_bytes();

	if (common.may_bytes)
		return common.may_bytes > held ? common.may_bytes - held : 0;

	return memory_available() / 4 * 3 / looping_jobs();
}

void tool_needed(long *private_bytes, double *seconds)
{
	*private_bytes = common.need_bytes;
	*seconds = common.need_seconds;
}

static void print_size(const char *what, long bytes)
{
	printf("%s: %ld bytes (%s)\n", what, bytes, human_bytes((double)bytes));
}

void tool_print_plan(const char *output, long bytes)
{
	struct str name = {0};

	str_add_printable(&name, output);
	printf("output: %s\n", name.data);
	print_size("disk", bytes);
	print_size("memory", common.need_bytes);

	if (common.need_files > 0)
		print_size("temporary files", common.need_files);

	if (common.need_seconds > 0)
		printf("time: about %.1f s\n", common.need_seconds);
	else
		printf("time: unknown\n");

	leave(EXIT_DONE);
}

void tool_plan_text(void)
{
	if (common.plan)
		tool_print_plan("text", 0);
}
