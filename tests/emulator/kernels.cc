/* Runs kernels on the processor: the threads of a block take turns on one processor thread.
 *
 * A fiber runs emulated threads one after the other as a plain loop; the fiber belongs to one of them only
 * from where that begins to wait, and further threads go on on another fiber. Who waits gives way to the
 * lowest ready lane of its warp, then to the next warp. Polling (emulated_wait) is taken up again when
 * nothing else is ready and something has happened since. */

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <vector>

#include "cuda_runtime.h"
#include "emulator.h"

#if defined __SANITIZE_ADDRESS__
#define FIBER_ASAN 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#endif

#ifdef FIBER_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

__thread struct emulated_index threadIdx, blockIdx, blockDim, gridDim;

namespace
{

enum { LANES = 32, WARPS = 32, BARRIERS = 16 };
enum { STACK = 256 << 10, SHARED_MOST = 228 << 10 };

/* ---- switching stacks ---- */

struct context {
	void *sp;
#ifdef FIBER_ASAN
	void *fake;
	const void *bottom;
	size_t size;
#endif
};

#if defined __x86_64__
extern "C" void emulated_switch(void **from, void *to);
asm(".text\n"
    ".type emulated_switch,@function\n"
    "emulated_switch:\n"
    "	push %rbp\n	push %rbx\n	push %r12\n	push %r13\n	push %r14\n	push %r15\n"
    "	mov %rsp,(%rdi)\n	mov %rsi,%rsp\n"
    "	pop %r15\n	pop %r14\n	pop %r13\n	pop %r12\n	pop %rbx\n	pop %rbp\n	ret\n"
    ".size emulated_switch,.-emulated_switch\n");

void *fresh_stack(char *top, void (*entry)(void))
{
	void **sp = (void **)((uintptr_t)top & ~(uintptr_t)15);

	*--sp = NULL;          // where entry() would return to; it never does
	*--sp = (void *)entry; // what `ret` takes
	for (int i = 0; i < 6; i++)
		*--sp = NULL;

	return sp;
}
#elif defined __aarch64__
extern "C" void emulated_switch(void **from, void *to);
asm(".text\n"
    ".type emulated_switch,%function\n"
    "emulated_switch:\n"
    "	sub sp, sp, #160\n"
    "	stp x19, x20, [sp, #0]\n	stp x21, x22, [sp, #16]\n	stp x23, x24, [sp, #32]\n"
    "	stp x25, x26, [sp, #48]\n	stp x27, x28, [sp, #64]\n	stp x29, x30, [sp, #80]\n"
    "	stp d8, d9, [sp, #96]\n	stp d10, d11, [sp, #112]\n	stp d12, d13, [sp, #128]\n"
    "	stp d14, d15, [sp, #144]\n"
    "	mov x9, sp\n	str x9, [x0]\n	mov sp, x1\n"
    "	ldp x19, x20, [sp, #0]\n	ldp x21, x22, [sp, #16]\n	ldp x23, x24, [sp, #32]\n"
    "	ldp x25, x26, [sp, #48]\n	ldp x27, x28, [sp, #64]\n	ldp x29, x30, [sp, #80]\n"
    "	ldp d8, d9, [sp, #96]\n	ldp d10, d11, [sp, #112]\n	ldp d12, d13, [sp, #128]\n"
    "	ldp d14, d15, [sp, #144]\n"
    "	add sp, sp, #160\n	ret\n"
    ".size emulated_switch,.-emulated_switch\n");

void *fresh_stack(char *top, void (*entry)(void))
{
	void **sp = (void **)((uintptr_t)top & ~(uintptr_t)15) - 20;

	memset(sp, 0, 160);
	sp[11] = (void *)entry; // x30

	return sp;
}
#else
#error "make CUDA=emulate knows how to switch stacks on x86-64 and aarch64 only"
#endif

struct fiber {
	struct context context;
	char *stack;
};

/* ---- one processor thread's block ---- */

struct lane {
	struct fiber *fiber; // NULL: not begun
	struct emulated_index index;
	enum emulated_exchange what;
	unsigned mask; // of the warp operation it waits in
	uint64_t value, result;
	int from;
	int barrier; // it waits at
};

struct warp {
	unsigned ready, alive, exchanging, polling, at_barrier;
	struct lane lane[LANES];
};

struct barrier {
	int count, arrived, yes, result;
};

struct machine {
	struct warp warp[WARPS];
	struct barrier barrier[BARRIERS];
	int warps, at, alive;
	bool happened;
	int now_warp, now_lane; // the running thread
	struct fiber *fiber;    // the running fiber
	struct context home;
	std::vector<struct fiber *> idle;
	std::vector<struct fiber *> all;
	char *shared;
	void (*thread)(void *);
	void *ctx;
	long *next_block; // shared by all processor threads
	long blocks;
	size_t shared_bytes;
	struct emulated_index grid, block;

	~machine()
	{
		for (struct fiber *f : all) {
			munmap(f->stack, STACK);
			delete f;
		}
		free(shared);
	}
};

thread_local struct machine machine;

void jump(struct context *from, struct context *to)
{
#ifdef FIBER_ASAN
	__sanitizer_start_switch_fiber(&from->fake, to->bottom, to->size);
#endif
	emulated_switch(&from->sp, to->sp);
#ifdef FIBER_ASAN
	__sanitizer_finish_switch_fiber(from->fake, NULL, NULL);
#endif
}

void fiber_main(void);

struct fiber *get_fiber(struct machine *m)
{
	if (!m->idle.empty()) {
		struct fiber *f = m->idle.back();

		m->idle.pop_back();

		return f;
	}

	struct fiber *f = new struct fiber();

	f->stack = (char *)mmap(
	        NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (MAP_FAILED == f->stack) {
		perror("emulated GPU: stack of a thread");
		abort();
	}
	f->context.sp = fresh_stack(f->stack + STACK, fiber_main);
#ifdef FIBER_ASAN
	f->context.bottom = f->stack;
	f->context.size = STACK;
#endif
	m->all.push_back(f);

	return f;
}

[[noreturn]] void stuck(const struct machine *m)
{
	fprintf(stderr,
	        "emulated GPU: no thread of block (%u, %u, %u) can go on; some wait for others that have "
	        "ended or "
	        "wait elsewhere:\n",
	        blockIdx.x, blockIdx.y, blockIdx.z);
	for (int w = 0; w < m->warps; w++)
		if (0 != m->warp[w].alive)
			fprintf(stderr,
			        "  warp %d: lanes left %08x, in a warp operation %08x, at a barrier %08x, "
			        "polling "
			        "%08x\n",
			        w, m->warp[w].alive, m->warp[w].exchanging, m->warp[w].at_barrier,
			        m->warp[w].polling);
	abort();
}

/** Makes a ready thread the running one; false when all have ended. */
bool pick(struct machine *m)
{
	for (;;) {
		for (int n = 0; n < m->warps; n++) {
			int i = m->at + n;
			struct warp *w = &m->warp[i -= (i >= m->warps) ? m->warps : 0];

			if (0 != w->ready) {
				m->at = m->now_warp = i;
				m->now_lane = __builtin_ctz(w->ready);
				w->ready &= w->ready - 1;

				return true;
			}
		}

		if (0 == m->alive)
			return false;

		if (!m->happened)
			stuck(m);

		m->happened = false;
		for (int i = 0; i < m->warps; i++) {
			m->warp[i].ready = m->warp[i].polling;
			m->warp[i].polling = 0;
		}
	}
}

struct lane *running(struct machine *m)
{
	return &m->warp[m->now_warp].lane[m->now_lane];
}

/** The running thread waits: another goes on. */
void give_way(struct machine *m)
{
	struct lane *me = running(m);
	struct fiber *mine = m->fiber;

	me->fiber = mine;
	pick(m); // never false: I am alive

	struct lane *next = running(m);

	if (next != me) {
		m->fiber = (NULL != next->fiber) ? next->fiber : get_fiber(m);
		jump(&mine->context, &m->fiber->context);
	}

	threadIdx = me->index;
}

bool next_block(struct machine *m)
{
	long b = __atomic_fetch_add(m->next_block, 1, __ATOMIC_RELAXED);

	if (b >= m->blocks)
		return false;

	int threads = (int)(m->block.x * m->block.y * m->block.z);

	blockIdx.x = (unsigned)(b % m->grid.x);
	blockIdx.y = (unsigned)(b / m->grid.x % m->grid.y);
	blockIdx.z = (unsigned)(b / m->grid.x / m->grid.y);
	m->alive = threads;
	m->at = 0;
	m->happened = false;
	memset(m->barrier, 0, sizeof m->barrier);
	memset(m->shared, 0xff, m->shared_bytes); // NaN: nothing may rest on what was there

	struct emulated_index i = {0, 0, 0};

	for (int w = 0; w < m->warps; w++) {
		int lanes = (threads - w * LANES < LANES) ? threads - w * LANES : LANES;
		struct warp *p = &m->warp[w];

		p->alive = p->ready = (LANES == lanes) ? ~0u : (1u << lanes) - 1;
		p->exchanging = p->polling = p->at_barrier = 0;

		for (int l = 0; l < lanes; l++) {
			p->lane[l].fiber = NULL;
			p->lane[l].index = i;
			if (++i.x == m->block.x) {
				i.x = 0;
				if (++i.y == m->block.y) {
					i.y = 0;
					i.z++;
				}
			}
		}
	}

	return pick(m);
}

/* ---- waiting for others ---- */

uint64_t combine(enum emulated_exchange what, uint64_t a, uint64_t b)
{
	switch (what) {
	case EXCHANGE_ADD:
		return (uint32_t)(a + b);
	case EXCHANGE_MIN:
		return ((int32_t)a < (int32_t)b) ? a : b;
	case EXCHANGE_MAX:
		return ((int32_t)a > (int32_t)b) ? a : b;
	case EXCHANGE_UMIN:
		return ((uint32_t)a < (uint32_t)b) ? a : b;
	case EXCHANGE_UMAX:
		return ((uint32_t)a > (uint32_t)b) ? a : b;
	case EXCHANGE_AND:
		return a & b;
	case EXCHANGE_OR:
		return a | b;
	default:
		return a ^ b;
	}
}

/** When all lanes of the mask that have not ended wait in the same operation, they go on. */
void exchange(struct warp *w, unsigned mask)
{
	unsigned lanes = mask & w->alive;

	if (lanes != (lanes & w->exchanging))
		return;

	for (unsigned left = lanes; 0 != left; left &= left - 1)
		if (w->lane[__builtin_ctz(left)].mask != mask)
			return;

	enum emulated_exchange what = w->lane[__builtin_ctz(lanes)].what;
	uint64_t all = 0;
	bool first = true;

	for (unsigned left = lanes; 0 != left; left &= left - 1) {
		int l = __builtin_ctz(left);
		struct lane *p = &w->lane[l];

		if (p->what != what) {
			fprintf(stderr, "emulated GPU: lanes of a warp meet in different operations\n");
			abort();
		}

		if (EXCHANGE_BALLOT == what)
			all |= (p->value & 1) << l;
		else
			all = first ? p->value : combine(what, all, p->value);
		first = false;
	}

	for (unsigned left = lanes; 0 != left; left &= left - 1) {
		struct lane *p = &w->lane[__builtin_ctz(left)];

		p->result = all;

		if (EXCHANGE_SHUFFLE == what)
			p->result = (lanes >> p->from & 1) ? w->lane[p->from].value : p->value;

		if (EXCHANGE_MATCH == what) {
			p->result = 0;
			for (int k = 0; k < LANES; k++)
				if ((lanes >> k & 1) && w->lane[k].value == p->value)
					p->result |= 1u << k;
		}
	}

	w->exchanging &= ~lanes;
	w->ready |= lanes;
}

/** The barrier opens when enough have come. */
void barrier_open(struct machine *m, int id)
{
	struct barrier *b = &m->barrier[id];

	if (0 == b->arrived || b->arrived < ((0 == b->count) ? m->alive : b->count))
		return;

	b->result = b->yes;
	b->arrived = b->yes = 0;

	for (int i = 0; i < m->warps; i++) {
		struct warp *w = &m->warp[i];

		for (unsigned left = w->at_barrier; 0 != left; left &= left - 1) {
			int l = __builtin_ctz(left);

			if (w->lane[l].barrier == id) {
				w->at_barrier &= ~(1u << l);
				w->ready |= 1u << l;
				w->lane[l].result = (uint64_t)b->result;
			}
		}
	}
}

/** The running thread has ended: who waits for all that are left may go on. */
void thread_ended(struct machine *m)
{
	struct warp *w = &m->warp[m->now_warp];

	w->alive &= ~(1u << m->now_lane);
	m->alive--;

	for (int l = 0; l < LANES; l++)
		if (w->exchanging >> l & 1)
			exchange(w, w->lane[l].mask);

	for (int i = 0; i < BARRIERS; i++)
		if (0 != m->barrier[i].arrived && 0 == m->barrier[i].count)
			barrier_open(m, i);
}

/** A fiber runs threads that have not begun, until one is due that waits on another fiber. */
void fiber_main(void)
{
	struct machine *m = &machine;

#ifdef FIBER_ASAN
	const void *bottom;
	size_t size;

	__sanitizer_finish_switch_fiber(NULL, &bottom, &size);
	if (NULL == m->home.bottom) { // the first fiber comes from the processor thread's own stack
		m->home.bottom = bottom;
		m->home.size = size;
	}
#endif

	for (;;) {
		threadIdx = running(m)->index;
		m->thread(m->ctx);
		thread_ended(m);

		if (!pick(m) && !next_block(m)) {
			struct fiber *mine = m->fiber;

			m->idle.push_back(mine);
			jump(&mine->context, &m->home);
			continue;
		}

		struct lane *next = running(m);

		if (NULL != next->fiber) {
			struct fiber *mine = m->fiber;

			m->idle.push_back(mine);
			m->fiber = next->fiber;
			jump(&mine->context, &m->fiber->context);
		}
	}
}

void run_blocks(struct machine *m)
{
	if (!next_block(m))
		return;

	m->fiber = get_fiber(m);
	jump(&m->home, &m->fiber->context);
}

size_t shared_most = 48 << 10; // what cudaFuncSetAttribute() allows, of any kernel

} // namespace

void *emulated_shared(void)
{
	return machine.shared;
}

unsigned emulated_active(void)
{
	return 1u << machine.now_lane; // whoever is here is here alone
}

uint64_t emulated_warp(enum emulated_exchange what, unsigned mask, uint64_t value, int from)
{
	struct machine *m = &machine;
	struct warp *w = &m->warp[m->now_warp];
	struct lane *me = running(m);

	if (0 == (mask >> m->now_lane & 1)) {
		fprintf(stderr, "emulated GPU: lane %d is not in the mask %08x of its own operation\n",
		        m->now_lane, mask);
		abort();
	}

	me->what = what;
	me->mask = mask;
	me->value = value;
	me->from = from & (LANES - 1);
	w->exchanging |= 1u << m->now_lane;
	exchange(w, mask);
	give_way(m);

	return me->result;
}

int emulated_barrier(int id, int count, bool yes)
{
	struct machine *m = &machine;
	struct warp *w = &m->warp[m->now_warp];
	struct lane *me = running(m);
	struct barrier *b = &m->barrier[id];

	b->count = count;
	b->arrived++;
	b->yes += yes;
	me->barrier = id;
	w->at_barrier |= 1u << m->now_lane;
	barrier_open(m, id);
	give_way(m);

	return (int)me->result;
}

void emulated_wait(void)
{
	struct machine *m = &machine;

	m->warp[m->now_warp].polling |= 1u << m->now_lane;
	give_way(m);
}

void emulated_happened(void)
{
	machine.happened = true;
}

cudaError_t emulated_shared_most(size_t n)
{
	cudaDeviceProp p;

	cudaGetDeviceProperties(&p, 0);
	if (n > p.sharedMemPerBlockOptin)
		return emulated_result(cudaErrorInvalidValue);
	if (n > shared_most)
		shared_most = n;

	return cudaSuccess;
}

void emulated_grid(dim3 grid, dim3 block, size_t shared, void (*thread)(void *ctx), void *ctx)
{
	const unsigned long threads = (unsigned long)block.x * block.y * block.z;
	const long blocks = (long)grid.x * grid.y * grid.z;

	if (0 == threads || threads > LANES * WARPS || block.z > 64 || 0 == blocks || grid.x > 0x7fffffffu ||
	        grid.y > 65535 || grid.z > 65535) {
		emulated_result(cudaErrorInvalidConfiguration);
		return;
	}

	if (shared > shared_most) {
		emulated_result(cudaErrorInvalidValue);
		return;
	}

	long next = 0;

	emulated_open();

#pragma omp parallel if (1 < blocks && (1 << 13) < blocks * (long)threads)
	{
		struct machine *m = &machine;

		if (NULL == m->shared && 0 != posix_memalign((void **)&m->shared, 1024, SHARED_MOST))
			abort();

		m->warps = (int)((threads + LANES - 1) / LANES);
		m->thread = thread;
		m->ctx = ctx;
		m->next_block = &next;
		m->blocks = blocks;
		m->shared_bytes = shared;
		m->grid = {grid.x, grid.y, grid.z};
		m->block = {block.x, block.y, block.z};
		gridDim = m->grid;
		blockDim = m->block;
		run_blocks(m);
	}

	emulated_close();
}
