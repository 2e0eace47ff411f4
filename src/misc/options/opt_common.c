/** The options that every tool has, and the environment. */

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/looping/looping.h"
#include "misc/options/opt_internal.h"
#include "misc/options/parse.h"
#include "misc/progress.h"
#include "misc/ranks/ranks.h"

enum { THREADS_MOST = 1024, JOBS_MOST = 256 };

const struct opt opt_common[] = {
        {'h', "help", OPT_KIND_STRING, &opt_given.help, "TOPIC", "print help, or a topic of it: options, all",
                OPT_OPTIONAL, 0, 0, NULL},
        OPT_FLAG(0, "version", &opt_given.version, "print the version"),
        OPT_FLAG('q', "quiet", &opt_given.quiet, "errors only"),
        OPT_FLAG('v', "verbose", &opt_given.verbose, "more messages"),
        OPT_LONG('j', "threads", &opt_given.threads, "N", 1, THREADS_MOST,
                "number of threads (default: all); never changes the result"),
        {'g', "gpu", OPT_KIND_STRING, &opt_given.gpu, "ID", "compute on the GPU (number ID), or fail",
                OPT_OPTIONAL, 0, 0, &opt_given.gpu_given},
        OPT_STRING(0, "device", &opt_given.device, "auto|cpu|gpu[:ID]|opencl[:PLATFORM[:DEVICE]]",
                "where to compute (default: auto)"),
        OPT_FLAG(0, "plan", &opt_given.plan, "print the memory, disk space and time needed, then stop"),
        OPT_FLAG(0, "profile", &opt_given.profile, "print calls, seconds and bytes of each primitive"),
        OPT_FLAG(0, "force", &opt_given.force, "continue although data or geometry look wrong"),
        OPT_FLAG(0, "sync", &opt_given.sync, "fsync outputs before renaming"),
        OPT_FLAG('n', "no-clobber", &opt_given.no_clobber, "refuse to replace existing outputs"),
        OPT_STRING(
                0, "loop", &opt_given.loop, "DIM[=RANGE],..", "run once for every index of these dimensions"),
        OPT_LONG(0, "jobs", &opt_given.jobs, "N", 1, JOBS_MOST,
                "number of runs of --loop at a time (default: 1)"),
        OPT_FLAG(0, "interface", &opt_given.interface, "print the description of this command line as JSON"),
        OPT_END,
};

/** What the command that runs others was given, for those that are not given it themselves. */
static struct {
	bool on, quiet, verbose, profile, force, sync, no_clobber;
	void (*loop)(void);
	long threads;
	enum tool_device kind;
	int gpu_id;
	const char *opencl;
} inherited;

void tool_inherit(void (*loop)(void))
{
	inherited.on = true;
	inherited.loop = loop;
	inherited.quiet = opt_given.quiet;
	inherited.verbose = opt_given.verbose;
	inherited.profile = opt_given.profile;
	inherited.force = opt_given.force;
	inherited.sync = opt_given.sync;
	inherited.no_clobber = opt_given.no_clobber;
	inherited.threads = tool_threads();
	inherited.kind = opt_given.kind;
	inherited.gpu_id = opt_given.gpu_id;
	inherited.opencl = opt_given.opencl;
}

void tool_inherit_profile(void)
{
	inherited.profile = opt_given.profile = true;
}

void opt_common_reset(void)
{
	memset(&opt_given, 0, sizeof opt_given);
	opt_given.start = now();
	opt_given.gpu_id = -1;
	log_level = 0;

	if (!inherited.on)
		return;

	opt_given.profile = inherited.profile;
	opt_given.force = inherited.force;
	opt_given.sync = inherited.sync;
	opt_given.no_clobber = inherited.no_clobber;
	opt_given.kind = inherited.kind;
	opt_given.gpu_id = inherited.gpu_id;
	opt_given.opencl = inherited.opencl;
}

static void set_gpu_id(const char *text, const char *what)
{
	const long id = parse_long(text, what);

	if (id < 0 || id > 255)
		usage_error("%s: GPU number %ld, expected 0..255", what, id);
	opt_given.gpu_id = (int)id;
}

static void (*choose_device)(const struct tool_device_choice *choice);

void tool_on_device(void (*fn)(const struct tool_device_choice *choice))
{
	choose_device = fn;
}

static void set_device(const char *text, const char *what)
{
	if (!strcmp(text, "auto"))
		opt_given.kind = TOOL_DEVICE_AUTO;
	else if (!strcmp(text, "cpu"))
		opt_given.kind = TOOL_DEVICE_CPU;
	else if (!strncmp(text, "gpu", 3) && (!text[3] || text[3] == ':'))
		opt_given.kind = TOOL_DEVICE_GPU;
	else if (!strncmp(text, "opencl", 6) && (!text[6] || text[6] == ':'))
		opt_given.kind = TOOL_DEVICE_OPENCL;
	else
		usage_error("%s: '%s' is not a device (valid: auto, cpu, gpu, gpu:ID, opencl, "
		            "opencl:PLATFORM:DEVICE)",
		        what, text);
	if (opt_given.kind == TOOL_DEVICE_GPU && text[3])
		set_gpu_id(text + 4, what);
	if (opt_given.kind == TOOL_DEVICE_OPENCL)
		opt_given.opencl = text[6] ? text + 7 : NULL;
}

static void apply_device(void)
{
	const char *environment = inherited.on ? NULL : getenv("GANTRY_DEVICE");
	const char *what = "--device";

	if (opt_given.gpu_given) {
		if (opt_given.device && strncmp(opt_given.device, "gpu", 3) != 0)
			usage_error("--gpu and --device %s contradict each other", opt_given.device);
		opt_given.kind = TOOL_DEVICE_GPU;
		what = "--gpu";
		if (opt_given.gpu)
			set_gpu_id(opt_given.gpu, what);
	} else if (opt_given.device) {
		set_device(opt_given.device, what);
	} else if (environment && *environment) {
		what = "GANTRY_DEVICE";
		set_device(environment, what);
	}

	if (choose_device)
		choose_device(&(struct tool_device_choice){
		        opt_given.kind, opt_given.gpu_id, opt_given.opencl, what});
	else if (opt_given.kind == TOOL_DEVICE_GPU || opt_given.kind == TOOL_DEVICE_OPENCL)
		usage_error("%s: no GPU implementation", what);
}

static void apply_threads(void)
{
	const char *environment = getenv("GANTRY_THREADS");

	if (!opt_given.threads && inherited.on)
		opt_given.threads = inherited.threads;
	if (!opt_given.threads && environment && *environment) {
		opt_given.threads = parse_long(environment, "GANTRY_THREADS");
		if (opt_given.threads < 1 || opt_given.threads > THREADS_MOST)
			usage_error("GANTRY_THREADS: %ld, expected 1..%d", opt_given.threads, THREADS_MOST);
	}
	if (opt_given.threads)
		omp_set_num_threads((int)opt_given.threads);
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

	opt_given.may_bytes = parse_bytes(environment, "GANTRY_MEM") / looping_jobs();

	if (0 == opt_given.may_bytes)
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
	opt_given.slices_at_once = looping_jobs();
	check_kernels();
	apply_memory();
	apply_threads();
	apply_device();
}

static int asked_level(void)
{
	const bool own = opt_given.quiet || opt_given.verbose;

	return (own ? opt_given.quiet : inherited.quiet)       ? -1
	       : (own ? opt_given.verbose : inherited.verbose) ? 1
	                                                       : 0;
}

/** A slice of a loop: it speaks also where its parent is a rank that does not. */
static void enter_slice(void)
{
	log_level = asked_level();
	apply_resources();
}

void opt_common_apply(void)
{
	log_level = ranks_rank() > 0 ? -1 : asked_level();
	if (opt_given.jobs && !opt_given.loop)
		usage_error("--jobs requires --loop");

	if (opt_given.loop && inherited.loop)
		inherited.loop();

	// threads and devices belong to the process that uses them
	if (opt_given.loop)
		looping_arm(
		        opt_given.loop, opt_given.jobs && !opt_given.plan ? opt_given.jobs : 1, enter_slice);
	else
		apply_resources();
}

bool opt_common_by_parts(void)
{
	return !opt_given.plan && opt_given.kind != TOOL_DEVICE_GPU && opt_given.kind != TOOL_DEVICE_OPENCL;
}

bool opt_common_loops(void)
{
	return opt_given.loop != NULL;
}
