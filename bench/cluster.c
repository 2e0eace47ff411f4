/**
 * cluster [--cfg=SIMGRID-OPTION..] KEY=VALUE..: an iteration of conjugate gradients on a simulated cluster,
 * with the decomposition of doc/cluster.md that `gantry plan --ranks` assumes. SimGrid simulates the network;
 * the computing is replaced by rates. scripts/simulate-cluster compiles and runs it.
 *
 * The volume (N^3 voxels) is cut into slabs along z, the views (N) into groups; rank = slab * groups + group.
 * The GPUs of a node have one slab, so that sums within the node do not cross the network. Detector rows of a
 * group belong to the slabs in equal parts.
 *
 * A:  the ranks of a slab gather p in chunks, first between nodes, then within each. Meanwhile they project
 * the chunks that have arrived into the first views, then all chunks into the other views, batch by batch.
 * The rows of a batch go to their owners, each of which adds the parts of all slabs in their order. A':
 * owners send the rows to all slabs that see them, batch by batch. Meanwhile these are back-projected: first
 * into all of the slab, then, chunk by chunk, the other views. Complete chunks are summed over the groups:
 * within the node, then between nodes, each rank one part.
 */

#include <math.h>
#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/comm.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/mailbox.h>
#include <simgrid/semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ct/projector/cluster_model.h"

enum { WINDOW = 2 }; // batches of rows that a rank sends at a time: more would all arrive late

/* Parameters; rates in updates/s, bytes/s and s. */
static struct {
	double n, gpus, groups, batches, chunks, first, overlap, node, a, at, memory, network, inside,
	        latency;
} set = {.n = 4096,
        .gpus = 64,
        .groups = 4,
        .batches = 64,
        .chunks = 8,
        .first = 0.5,
        .overlap = 1,
        .node = 4,
        .a = 1700e9,
        .at = 1350e9,
        .memory = 3e12,
        .network = 25e9,
        .inside = 150e9,
        .latency = 2e-6};

static const struct {
	const char *name;
	double *at;
} keys[] = {{"n", &set.n}, {"gpus", &set.gpus}, {"groups", &set.groups}, {"batches", &set.batches},
        {"chunks", &set.chunks}, {"first", &set.first}, {"overlap", &set.overlap}, {"node", &set.node},
        {"a", &set.a}, {"at", &set.at}, {"memory", &set.memory}, {"network", &set.network},
        {"inside", &set.inside}, {"latency", &set.latency}};

static int P, slabs, groups, node, nodes; // nodes: of a slab
static int batches, chunks, first;        // first: batches that are not cut by rows (A) or chunks (A')

/* The geometry: source at 2 N, detector rows at the magnification of the axis. */
static struct cluster_problem problem(void)
{
	const double n = set.n;

	return (struct cluster_problem){.size = {n, n, n},
	        .cols = n,
	        .rows = n,
	        .views = n,
	        .rows_per_slice = 1.,
	        .magnify = {0.8, 1. / 0.75},
	        .bytes = 4.};
}

/* Bytes of a batch that slab s and the owner of its rows exchange. */
static double row_bytes(int s, int owner)
{
	const struct cluster_problem p = problem();

	return p.bytes * p.cols * cluster_rows_between(&p, slabs, s, owner) * p.views / groups / batches;
}

/* ---- ranks ---- */

struct rank {
	int number, slab, group;
	sg_sem_t batch[2], chunk[3],
	        end;              // batch: sent, received; chunk: complete, between nodes, within a node
	bool back;                // A'
	double sent, sent_inside; // bytes between nodes, and within the node
};

static struct rank *ranks;
static sg_bar_t all;

static struct rank *self(void)
{
	return sg_actor_self_get_data();
}

static sg_mailbox_t box(char kind, int from, int to)
{
	char name[64];

	snprintf(name, sizeof name, "%c %d %d", kind, from, to);
	return sg_mailbox_by_name(name);
}

static sg_comm_t send_to(struct rank *r, char kind, int to, double bytes)
{
	*(r->number / node == to / node ? &r->sent_inside : &r->sent) += bytes;

	return sg_mailbox_put_async(box(kind, r->number, to), r, (long)bytes + 1);
}

/* Rows, batch by batch, to the other slabs of the group that need them. */
static void rows_out(int argc, char **argv)
{
	struct rank *r = self();
	sg_comm_t *sent = calloc((size_t)(batches * slabs), sizeof *sent);
	int *n = calloc((size_t)batches, sizeof *n);

	(void)argc, (void)argv;

	for (int b = 0; b < batches; b++) {
		sg_sem_acquire(r->batch[0]);

		for (int i = 0; b >= WINDOW && i < n[b - WINDOW]; i++)
			sg_comm_wait(sent[(b - WINDOW) * slabs + i]);

		for (int i = 1; i < slabs; i++) { // nearest slabs first
			const int t = (r->slab + (i % 2 ? (i + 1) / 2 : slabs - i / 2)) % slabs;
			const double bytes = r->back ? row_bytes(t, r->slab) : row_bytes(r->slab, t);

			if (bytes > 0.)
				sent[b * slabs + n[b]++] = send_to(r, 'r', t * groups + r->group, bytes);
		}
	}

	for (int b = batches > WINDOW ? batches - WINDOW : 0; b < batches; b++)
		for (int i = 0; i < n[b]; i++)
			sg_comm_wait(sent[b * slabs + i]);

	free(sent);
	free(n);
	sg_sem_release(r->end);
}

static void rows_in(int argc, char **argv)
{
	struct rank *r = self();
	sg_comm_t *got = calloc((size_t)(batches * slabs), sizeof *got);
	void **unused = calloc((size_t)slabs, sizeof *unused);
	int n = 0;

	(void)argc, (void)argv;

	for (int b = 0; b < batches; b++, n = 0)
		for (int t = 0; t < slabs; t++)
			if (t != r->slab && 0. < (r->back ? row_bytes(r->slab, t) : row_bytes(t, r->slab)))
				got[b * slabs + n++] = sg_mailbox_get_async(
				        box('r', t * groups + r->group, r->number), &unused[t]);

	for (int b = 0; b < batches; b++) {
		for (int i = 0; i < slabs && got[b * slabs + i]; i++)
			sg_comm_wait(got[b * slabs + i]);

		sg_sem_release(r->batch[1]);
	}

	free(got);
	free(unused);
	sg_sem_release(r->end);
}

/* Every rank of a set sends `bytes` to each other rank of it: number k is first + k * step. */
static void exchange(struct rank *r, char kind, int start, int step, int n, double bytes)
{
	const int me = (r->number - start) / step;
	sg_comm_t got[64];
	void *unused;

	for (int i = 1; i < n; i++)
		got[i] = sg_mailbox_get_async(box(kind, start + (me + n - i) % n * step, r->number), &unused);

	for (int i = 1; i < n; i++)
		sg_comm_wait(send_to(r, kind, start + (me + i) % n * step, bytes));

	for (int i = 1; i < n; i++)
		sg_comm_wait(got[i]);
}

static double chunk_bytes(void)
{
	return 4. * set.n * set.n * set.n / slabs / chunks;
}

/* The chunks of p: A exchanges each first between nodes and then within each node, A' in the reverse order.
 */
static void exchange_chunks(struct rank *r, bool second)
{
	const int here = r->number / node * node, slab = r->slab * groups;

	for (int c = 0; c < chunks; c++) {
		sg_sem_acquire(r->chunk[second]);

		if (r->back != second)
			exchange(r, 'i', here, 1, node, chunk_bytes() / node);
		else
			exchange(r, 'o', slab + r->number % node, node, nodes, chunk_bytes() / groups);

		sg_sem_release(r->chunk[second + 1]);
	}

	sg_sem_release(r->end);
}

static void chunks_first(int argc, char **argv)
{
	(void)argc, (void)argv;
	exchange_chunks(self(), false);
}

static void chunks_second(int argc, char **argv)
{
	(void)argc, (void)argv;
	exchange_chunks(self(), true);
}

static void start(struct rank *r, const char *name, void (*fn)(int, char **))
{
	sg_actor_t a = sg_actor_init(name, sg_actor_get_host(sg_actor_self()));

	sg_actor_set_data(a, r);
	sg_actor_start_(a, fn, 0, NULL);
}

static void take(sg_sem_t s, int n)
{
	while (n-- > 0)
		sg_sem_acquire(s);
}

static void give(sg_sem_t s, int n)
{
	while (n-- > 0)
		sg_sem_release(s);
}

/* All ranks meet; the sums of scalar products take two messages along a tree. */
static void meet(void)
{
	sg_barrier_wait(all);
	sg_actor_sleep_for(2. * ceil(log2(P)) * set.latency);
}

/* Adding what arrives: read twice, written once. */
static double adding(const struct rank *r)
{
	const struct cluster_problem p = problem();
	double rows = 0.;

	for (int t = 0; t < slabs; t++)
		rows += (t == r->slab) ? 0. : cluster_rows_between(&p, slabs, t, r->slab);

	return 3. * 4. * set.n * rows * set.n / groups / set.memory;
}

static void forward(struct rank *r)
{
	const double work = pow(set.n, 4.) / P / set.a, add = adding(r);

	r->back = false;
	give(r->chunk[0], chunks);

	if (!set.overlap)
		take(r->chunk[2], chunks);

	for (int c = 0; c < chunks && first > 0; c++) {
		if (set.overlap)
			sg_sem_acquire(r->chunk[2]);

		sg_actor_sleep_for(work * first / batches / chunks);
	}

	if (set.overlap && 0 == first)
		take(r->chunk[2], chunks);

	if (set.overlap)
		give(r->batch[0], first);

	for (int b = first; b < batches; b++) {
		sg_actor_sleep_for((work + add) / batches + add / batches * first / (batches - first));

		if (set.overlap)
			sg_sem_release(r->batch[0]);
	}

	if (!set.overlap)
		give(r->batch[0], batches);

	take(r->batch[1], batches);
	take(r->end, 4);
}

static void backward(struct rank *r)
{
	const double work = pow(set.n, 4.) / P / set.at;
	const double add = 3. * chunk_bytes() * chunks * (1. / node * (node - 1) + 1. / node) / set.memory;

	r->back = true;
	give(r->batch[0], batches);

	if (!set.overlap)
		take(r->batch[1], batches);

	for (int b = 0; b < first; b++) {
		if (set.overlap)
			sg_sem_acquire(r->batch[1]);

		sg_actor_sleep_for(work / batches);
	}

	for (int c = 0; c < chunks; c++) {
		for (int b = first; b < batches && 0 == c && set.overlap; b++) {
			sg_sem_acquire(r->batch[1]);
			sg_actor_sleep_for(work / batches / chunks);
		}

		if (0 < c || !set.overlap)
			sg_actor_sleep_for(work * (batches - first) / batches / chunks);

		sg_actor_sleep_for(add / chunks);

		if (set.overlap)
			sg_sem_release(r->chunk[0]);
	}

	if (!set.overlap)
		give(r->chunk[0], chunks);

	take(r->chunk[2], chunks);
	take(r->end, 4);
}

static void run(int argc, char **argv)
{
	struct rank *r = self();

	(void)argc, (void)argv;

	for (int i = 0; i < 2; i++)
		r->batch[i] = sg_sem_init(0);

	for (int i = 0; i < 3; i++)
		r->chunk[i] = sg_sem_init(0);

	r->end = sg_sem_init(0);
	sg_barrier_wait(all);

	for (int back = 0; back < 2; back++) {
		r->back = back;
		start(r, "rows out", rows_out);
		start(r, "rows in", rows_in);
		start(r, "chunks", chunks_first);
		start(r, "chunks", chunks_second);
		back ? backward(r) : forward(r);
		meet();
	}

	sg_actor_sleep_for(10. * 4. * pow(set.n, 3.) / P / set.memory); // x, p, s
	meet();
}

/* Seconds of an iteration by the closed formula of doc/cluster.md. */
static double formula(void)
{
	const struct cluster_problem p = problem();
	const struct cluster_slabs d = {slabs, groups, node, batches, chunks, set.first};
	const struct cluster_rates r = {set.a, set.at, set.memory, set.network, set.inside, set.latency};
	const struct cluster_cost c = cluster_of_slabs(&p, &d, &r);

	return set.overlap ? c.overlap : c.separate;
}

/* ---- the machine: nodes at a fat tree without narrow places, or at one switch ---- */

static void write_platform(const char *path)
{
	const int n = (P + node - 1) / node, edge = (int)lround(sqrt(n));
	FILE *f = fopen(path, "w");

	if (NULL == f) {
		perror(path);
		exit(1);
	}

	fprintf(f,
	        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
	        "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-%d\" "
	        "speed=\"1Gf\" bw=\"%.0fBps\" lat=\"%.3gs\" loopback_bw=\"%.0fBps\" loopback_lat=\"1us\" "
	        "sharing_policy=\"SPLITDUPLEX\"",
	        n - 1, set.network * node, set.latency / (edge * edge == n && n > 1 ? 4. : 2.), set.inside);

	if (n > 1 && edge * edge == n)
		fprintf(f, " topology=\"FAT_TREE\" topo_parameters=\"2;%d,%d;1,%d;1,1\"", edge, edge, edge);

	fprintf(f, "/></platform>\n");
	fclose(f);
}

static void read_words(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *value = strchr(argv[i], '=');
		size_t k = 0;

		while (value && k < sizeof keys / sizeof *keys &&
		        !(strlen(keys[k].name) == (size_t)(value - argv[i]) &&
		                0 == strncmp(keys[k].name, argv[i], strlen(keys[k].name))))
			k++;

		if (!value || k == sizeof keys / sizeof *keys) {
			fprintf(stderr, "cluster: '%s' is not KEY=VALUE\n", argv[i]);
			exit(2);
		}

		*keys[k].at = atof(value + 1);
	}
}

int main(int argc, char **argv)
{
	char path[] = "/tmp/gantry-cluster-XXXXXX.xml";
	const int fd = mkstemps(path, 4);
	double computing = 0., sent = 0., inside = 0.;

	simgrid_init(&argc, argv);
	read_words(argc, argv);
	P = (int)set.gpus;
	groups = (int)set.groups;
	slabs = P / groups;
	node = set.node < groups ? (int)set.node : groups;
	nodes = groups / node;
	batches = (int)set.batches;
	chunks = (int)set.chunks;
	first = (int)(set.first * batches);

	if (fd < 0 || P != slabs * groups || groups != nodes * node || nodes > 64) {
		fprintf(stderr, "cluster: %d GPUs in %d groups and nodes of %d\n", P, groups, node);
		exit(2);
	}

	write_platform(path);
	simgrid_load_platform(path);
	remove(path);
	ranks = calloc((size_t)P, sizeof *ranks);
	all = sg_barrier_init((unsigned)P);

	for (int k = 0; k < P; k++) {
		char name[32];

		snprintf(name, sizeof name, "n%d", k / (int)set.node);
		ranks[k] = (struct rank){.number = k, .slab = k / groups, .group = k % groups};

		sg_actor_t a = sg_actor_init("rank", sg_host_by_name(name));

		sg_actor_set_data(a, &ranks[k]);
		sg_actor_start_(a, run, 0, NULL);
	}

	simgrid_run();
	computing = pow(set.n, 4.) / P * (1. / set.a + 1. / set.at);

	for (int k = 0; k < P; k++) {
		sent = fmax(sent, ranks[k].sent);
		inside = fmax(inside, ranks[k].sent_inside);
	}

	printf("n %.0f gpus %d slabs %d groups %d overlap %.0f: %.4f s an iteration, %.4f s of computing, "
	       "efficiency %.1f %%, at most %.2f GB sent between nodes and %.2f GB within",
	        set.n, P, slabs, groups, set.overlap, simgrid_get_clock(), computing,
	        100. * computing / simgrid_get_clock(), sent * 1e-9, inside * 1e-9);

	printf("; by formula %.4f s\n", formula());
	return 0;
}
