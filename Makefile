# Gantry: one Makefile, no recursion.
#   make            library, front command and tools, in $(O)
#   make check      unit programs and bats files
#   make install PREFIX=/usr/local [DESTDIR=...]
# Local settings go into config.mk (not committed).

VERSION := 0.1.0
-include config.mk

SOVERSION := 0

O      ?= build
ifeq ($(origin CC),default)
CC     := gcc
endif
NVCC   ?= nvcc
OBJCOPY ?= objcopy
PREFIX ?= /usr/local
DESTDIR ?=
CUDA   ?= auto
HIPCC  ?= hipcc
HIP    ?= 0
MPI    ?= auto
OPENCL ?= auto
DEBUG  ?= 0
SANITIZE ?=

empty :=
space := $(empty) $(empty)
comma := ,

MODULES := misc num linops nlops ct volume iter correct library

# ---- features -------------------------------------------------------------
have_nvcc := $(shell command -v $(NVCC) 2>/dev/null)
# auto: with CUDA where there are a GPU and an nvcc that works, for that GPU alone, never an error; CUDA=1 compiles for every architecture,
# which takes long. GPU_DEVICES: one of these files exists where there is a GPU.
GPU_DEVICES ?= /proc/driver/nvidia/version /dev/nvidiactl
# HIP=1: the .cu files for AMD's GPUs, by hipcc and the headers in src/num/device/cuda/hip.
ifneq ($(filter-out 0 1,$(HIP)),)
$(error HIP=$(HIP): expected 0 or 1)
endif
ifeq ($(HIP),1)
ifeq ($(shell command -v $(HIPCC) 2>/dev/null),)
$(error HIP=1: no $(HIPCC) found, expected that of ROCm 5.2 or newer (HIPCC=PATH))
endif
override CUDA := hip
endif
no_cuda := $(if $(filter 0,$(CUDA)),CUDA=0)
ifeq ($(CUDA),auto)
cuda_auto := $(shell mk/cuda-auto '$(NVCC)' '$(O)/cuda_trial' $(GPU_DEVICES))
override CUDA := $(if $(filter 1,$(firstword $(cuda_auto))),1,0)
ifeq ($(CUDA),0)
no_cuda := $(wordlist 2,$(words $(cuda_auto)),$(cuda_auto))
else ifneq ($(word 2,$(cuda_auto)),)
NVARCH ?= $(wordlist 2,$(words $(cuda_auto)),$(cuda_auto))
endif
endif
ifneq ($(filter-out 0 1 emulate $(if $(filter 1,$(HIP)),hip),$(CUDA)),)
$(error CUDA=$(CUDA): expected auto, 0, 1 or emulate)
endif
# cudaGetDriverEntryPointByVersion() is of 12.5.
ifeq ($(CUDA),1)
nvcc_old := $(shell $(NVCC) --version 2>/dev/null | sed -n 's/.*release \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' | while read -r major minor; do \
	[ $$((100 * major + minor)) -ge 1205 ] || echo "$$major.$$minor"; done)
ifeq ($(have_nvcc),)
$(error CUDA=1: no $(NVCC) found, expected that of the CUDA toolkit 12.5 or newer (NVCC=PATH); CUDA=0 builds without)
endif
ifneq ($(nvcc_old),)
$(error $(have_nvcc) is of CUDA $(nvcc_old), expected 12.5 or newer (NVCC=PATH); CUDA=0 builds without)
endif
endif

# One small module for each MPI that has a compiler here, opened at run time under its launcher (misc/ranks/ranks.h).
ifneq ($(filter-out 0 1 auto,$(MPI)),)
$(error MPI=$(MPI): expected auto, 0 or 1)
endif
mpis := $(if $(filter 0,$(MPI)),,$(foreach m,openmpi mpich,$(if $(shell command -v mpicc.$(m) 2>/dev/null),$(m))))
ifeq ($(MPI)$(mpis),1)
$(error MPI=1: neither mpicc.openmpi nor mpicc.mpich found (Debian: libopenmpi-dev, libmpich-dev); MPI=0 builds without)
endif

# OpenCL needs nothing to build: its library is opened at run time.
ifneq ($(filter-out 0 1 auto,$(OPENCL)),)
$(error OPENCL=$(OPENCL): expected auto, 0 or 1)
endif

# Libraries: NAME=0 builds without one, MINIMAL=1 without all of them. FFTW and XXHASH have stand-ins in src/minimal (slow; other IDs in
# histories), PNG=0 writes no pictures, TIFF=0 and ZLIB=0 leave out import, export and html. OpenBLAS, HDF5 and libtiff are opened at run time.
libraries := FFTW PNG TIFF ZLIB XXHASH
ifeq ($(MINIMAL),1)
$(foreach l,$(libraries),$(eval override $(l) := 0))
endif
$(foreach l,$(libraries),$(eval $(l) ?= 1))

WARN  := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wno-sign-compare
# With sanitizers line numbers are enough: following variables through the checks would take most of the compiler's time.
OPTIM := $(if $(SANITIZE),-O1 -g1,$(if $(filter 1,$(DEBUG)),-O1 -g,-O2 -g -ftree-vectorize))

# Flags of the user come last and win, whether they are in the environment or on the command line.
override CPPFLAGS := $(if $(filter 0,$(FFTW)),-Isrc/minimal/fftw) $(if $(filter 0,$(XXHASH)),-Isrc/minimal/xxhash) -Isrc -Iinclude -I$(O)/gen -D_GNU_SOURCE -DGANTRY_VERSION='"$(VERSION)"' $(CPPFLAGS)
override CFLAGS   := -std=gnu11 $(WARN) $(OPTIM) -fPIC -fvisibility=hidden -fopenmp -ffp-contract=off -fno-math-errno -fno-trapping-math \
	$(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer) $(CFLAGS)
override LDFLAGS  := -fopenmp -Wl,--as-needed $(if $(SANITIZE),-fsanitize=$(SANITIZE)) $(LDFLAGS)
extlibs := $(if $(filter 1,$(FFTW)),-lfftw3f -lfftw3) $(if $(filter 1,$(PNG)),-lpng) \
	$(if $(filter 1,$(ZLIB)),-lz) $(if $(filter 1,$(XXHASH)),-lxxhash)
override LDLIBS   := $(extlibs) -ldl -lm $(LDLIBS)

ifeq ($(CUDA),1)
nvcc_archs := $(patsubst compute_%,%,$(shell $(NVCC) --list-gpu-arch 2>/dev/null))
endif
NVARCH ?= $(filter $(nvcc_archs),75 80 86 89 90 100 120)
# Kernels that hand registers from warps that copy to warps that compute need 90a, which runs where 90 does; PTX is for newer cards.
nvcode := $(patsubst 90,90a,$(NVARCH))
nvptx  := $(patsubst %a,%,$(lastword $(NVARCH)))
NVGEN  ?= $(foreach a,$(nvcode),-gencode arch=compute_$(a),code=sm_$(a)) -gencode arch=compute_$(nvptx),code=compute_$(nvptx)
NVFLAGS := -std=c++17 -O3 -fmad=false -Xcompiler -fPIC,-fvisibility=hidden,-fopenmp,-Wall,-Wextra -Isrc -I$(O)/gen \
	-D_GNU_SOURCE -DGANTRY_VERSION='"$(VERSION)"' --threads 0 $(NVGEN)
CUDALIB ?= $(firstword $(wildcard $(dir $(have_nvcc))../lib64 /usr/local/cuda/lib64))
ifeq ($(CUDA),1)
override LDLIBS += -L$(CUDALIB) -lcudart_static -lstdc++ -lpthread -lrt -ldl
endif

ifeq ($(HIP),1)
HIPARCH ?= gfx90a gfx1030
# Tables of host functions are constants, which clang compiles for the device, too: nothing there refers to the functions.
override HIPFLAGS := -x hip -std=c++17 -O3 -ffp-contract=off -fPIC -fvisibility=hidden -Wall -Wextra -Wno-unused-result -Wno-bitwise-instead-of-logical -Wno-unused-command-line-argument -Isrc/num/device/cuda/hip -include cuda_runtime.h -Isrc -I$(O)/gen \
	-D_GNU_SOURCE -DGANTRY_VERSION='"$(VERSION)"' $(HIPARCH:%=--offload-arch=%) -Xoffload-linker --unresolved-symbols=ignore-all $(HIPFLAGS)
override LDLIBS += -lamdhip64 -lstdc++ -lpthread
endif

# CUDA=emulate: the same .cu files as C++, run by the processor (tests/emulator), to test kernels without a GPU.
ifeq ($(origin CXX),default)
CXX := $(if $(findstring clang,$(CC)),clang++,g++)
endif
ifeq ($(CUDA),emulate)
override CXXFLAGS := -std=c++17 -Wall -Wextra -Wno-unknown-pragmas -Wno-psabi $(OPTIM) -fPIC -fvisibility=hidden -fopenmp -ffp-contract=off -fno-math-errno -fno-trapping-math \
	$(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer) $(CXXFLAGS)
override LDLIBS += -lstdc++ -lpthread
endif

# Flags of a module's files, CFLAGS_MODULE. With sanitizers those that compute little go without optimisation, in half of the compiler's time.
CFLAGS_misc  := $(if $(SANITIZE),-O0)
CFLAGS_tools := $(if $(SANITIZE),-O0)
CFLAGS_iter  := $(if $(SANITIZE),-O0)
CFLAGS_nlops := $(if $(SANITIZE),-O0)
CFLAGS_library := $(if $(SANITIZE),-O0)
# Switches over the models of projectors name all of them.
CFLAGS_models := -Werror=switch-enum

# Kernels compiled for several instruction sets; the machine's is chosen at run time.
# (Sanitizers' checks in them take minutes to optimise. Those of every pointer that is used are left out there: the addresses are checked,
# in the many loops of the core by calls, which compile in a third of the time.)
CFLAGS_kern_checks := $(if $(SANITIZE),-fno-sanitize=null$(comma)alignment$(comma)pointer-overflow$(comma)object-size)
kern_calls := $(if $(findstring clang,$(CC)),,--param asan-instrumentation-with-call-threshold=0)
CFLAGS_kern_plain  := $(if $(SANITIZE),-O1 $(CFLAGS_kern_checks) $(kern_calls),-O3)
ifneq ($(filter x86_64-%,$(shell $(CC) -dumpmachine)),)
CFLAGS_kern_avx2   := $(CFLAGS_kern_plain) -mavx2 -mf16c -mfma
CFLAGS_kern_avx512 := $(CFLAGS_kern_plain) -mavx512f -mavx512bw -mavx512dq -mavx512vl -mf16c -mprefer-vector-width=512
endif
$(foreach isa,plain avx2 avx512,$(foreach kern,contract_kern copy_kern dual_kern line_kern nlm_kern normal_kern render_kern similarity_kern sum_kern,$(eval CFLAGS_$(kern)_$(isa) := $$(CFLAGS_kern_$(isa)))))
$(foreach kern,$(wildcard $(addprefix src/ct/,projector/cpu/*kernels*.c projector/cpu/footprints_*.c projector/cpu/siddon_*.c fbp/*kernel*.c fbp/fdk_line.c)),$(eval \
	CFLAGS_$(basename $(notdir $(kern))) := $$(CFLAGS_kern_checks)))
# Sizes of footprints are finite; the larger and smaller ones of them take one instruction then.
CFLAGS_sf_lines_kernels += -ffinite-math-only -fno-signed-zeros

# ---- sources --------------------------------------------------------------
found  := $(shell find $(wildcard $(addprefix src/,$(MODULES))) -path src/misc/ranks/mpi -prune -o \( -name '*.c' -o -name '*.cu' \) -print | LC_ALL=C sort)
csrc   := $(filter %.c,$(found))
cusrc  := $(filter-out $(if $(filter 1,$(HIP)),%/async.cu),$(filter %.cu,$(found)))
ifeq ($(CUDA),0)
cusrc  :=
csrc   := $(foreach f,$(csrc),$(if $(findstring /cuda/,$(f)),,$(f)))
else
csrc   := $(filter-out %/nocuda.c,$(csrc))
endif
csrc   := $(if $(filter 0,$(OPENCL)),$(foreach f,$(csrc),$(if $(findstring /opencl/,$(f)),,$(f))),$(filter-out %/noopencl.c,$(csrc)))
ccsrc  := $(if $(filter emulate,$(CUDA)),$(wildcard tests/emulator/*.cc))
no_formats := $(filter 0,$(TIFF) $(ZLIB))
absent := $(if $(filter 0,$(FFTW)),src/num/bench/bench_suite_fft.c) $(if $(filter 0,$(PNG)),src/misc/plot/png.c) $(if $(filter 0,$(TIFF)),src/misc/formats/tiff.c src/misc/formats/tiff_library.c) \
	$(if $(no_formats),src/num/shape/stack.c $(wildcard src/num/shape/import*.c) src/ct/exchange/exchange_dicom.c $(filter-out %/keys.c %/names.c %/tiff.c %/tiff_library.c,$(filter src/misc/formats/%,$(csrc))))
csrc   := $(filter-out $(absent),$(csrc)) $(if $(filter 0,$(FFTW)),src/minimal/fftw/fftw3.c src/minimal/fftw/bench_suite_fft.c) $(if $(filter 0,$(PNG)),src/minimal/png/png.c) \
	$(if $(no_formats),src/minimal/formats/exchange_dicom.c)
SUITES := $(sort $(patsubst bench_suite_%.c,%,$(filter bench_suite_%,$(notdir $(csrc)))))
TOOLS  := $(sort $(filter-out gantry $(if $(no_formats),import export html),$(patsubst src/tools/%.c,%,$(wildcard src/tools/*.c))))
objs   := $(csrc:src/%.c=$(O)/obj/%.o) $(cusrc:src/%.cu=$(O)/obj/%.cu.o) $(ccsrc:tests/%.cc=$(O)/obj/%.cc.o)
CORE   := $(O)/lib/libgantry-core.a
PUBLIC := $(O)/lib/libgantry
commands := $(O)/lib/commands
bins   := $(TOOLS:%=$(O)/bin/%)
units  := $(patsubst tests/unit/%.c,$(O)/unit/%,$(filter-out $(if $(no_formats),%/hdf5_box.c %/tiff_head.c %/registries.c),$(wildcard tests/unit/*.c)))
V      ?= 0
Q      := $(if $(filter 1,$(V)),,@)
say     = $(if $(filter 1,$(V)),,@printf '  %-6s %s\n' $(1) $(2))

.PHONY: all check units gpu-units kernels demo bench lint doc install uninstall clean FORCE
.SECONDARY:
.DELETE_ON_ERROR:
all: $(O)/bin/gantry $(bins) $(O)/bin/commands.tsv $(PUBLIC).so $(PUBLIC).a $(mpis:%=$(O)/lib/mpi-%.so)

# Stamps: rewritten, and what hangs on them rebuilt, only when their text changes.
flags := $(CC) $(CPPFLAGS) $(CFLAGS) $(CFLAGS_kern_plain) $(CFLAGS_kern_avx2) $(CFLAGS_kern_avx512) $(CFLAGS_kern_checks) $(CFLAGS_sf_lines_kernels)
flags := $(flags)$(addprefix $(space),$(strip $(foreach m,$(MODULES) tools,$(CFLAGS_$(m)))))
flags_link := $(CC) $(LDFLAGS) $(LDLIBS)
flags_cuda := $(if $(filter 1,$(CUDA)),$(NVCC) $(NVFLAGS)) $(if $(filter emulate,$(CUDA)),$(CXX) $(CPPFLAGS) $(CXXFLAGS)) $(if $(filter 1,$(HIP)),$(HIPCC) $(HIPFLAGS))
stamp  = @mkdir -p $(@D); printf '%s\n' $(1) | cmp -s - $@ || printf '%s\n' $(1) > $@

$(O)/flags $(O)/flags_link $(O)/flags_cuda: FORCE
	$(call stamp,'$(subst ','\'',$($(@F)))')

# A source that is gone must leave the archive.
$(O)/gen/objects: FORCE
	$(call stamp,$(objs))

# One line per tool: TOOL(name). The front command, help and completion are made from it.
$(O)/gen/tools.inc: FORCE
	$(call stamp,$(patsubst %,'TOOL(%)',$(TOOLS)))

# The same with the functions, for the program that is all of them: MAIN("NAME", main_NAME).
$(O)/gen/mains.inc: FORCE
	$(call stamp,$(foreach t,$(TOOLS),'MAIN("$t", main_$(subst -,_,$t))'))

# What the build has, for gantry --version: FEATURE("NAME", "TEXT").
formats := $(strip $(if $(filter 0,$(PNG)),,PNG) $(if $(filter 0,$(TIFF)),,TIFF))
features = 'FEATURE("FFT", "$(if $(filter 0,$(FFTW)),slow (built without FFTW),FFTW 3, single and double precision)")' \
	'FEATURE("images", "$(if $(formats),$(subst $(space),$(comma) ,$(formats)),none (built without libpng and libtiff))")' \
	'FEATURE("OpenCL", "$(if $(filter 0,$(OPENCL)),none (built without),opened at run time)")' \
	'FEATURE("compression", "$(if $(filter 0,$(ZLIB)),none (built without zlib),zlib)")' \
	'FEATURE("fingerprints", "$(if $(filter 0,$(XXHASH)),FNV (built without xxHash),xxHash)")'
$(O)/gen/features.inc: FORCE
	$(call stamp,$(features))

# Why it has no CUDA, as a C string; empty where it has.
$(O)/gen/no_cuda.inc: FORCE
	$(call stamp,'"$(no_cuda)"')

$(O)/obj/tools/gantry.o: $(O)/gen/features.inc $(O)/gen/no_cuda.inc

$(O)/obj/main.o: $(O)/gen/mains.inc

# One line per suite of gantry bench: SUITE(name).
$(O)/gen/suites.inc: FORCE
	$(call stamp,$(patsubst %,'SUITE(%)',$(SUITES)))

# The page of gantry html as C strings.
$(O)/gen/viewer.inc: src/tools/viewer.html
	@mkdir -p $(@D)
	@sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/' $< > $@

$(O)/obj/tools/html.o: $(O)/gen/viewer.inc

# What generated kernels are made of, as C strings; behind the prelude without the names of headers.
expr_library := $(addprefix src/num/,device/cuda/device_fn.h kern/half.h kern/kern_math.h md/cuda/complex_formulas.h expr/cuda/expr_fold.h expr/cuda/expr_fn.h expr/cuda/expr_kernel.h expr/cuda/window_fn.h)
$(O)/gen/expr_library.inc: src/num/expr/cuda/expr_prelude.h $(expr_library)
	@mkdir -p $(@D)
	@{ cat $<; sed '/^#include/d' $(expr_library); } | \
		sed -e 's/^[ \t]*//' -e '/^$$/d' -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/' > $@

$(O)/obj/num/expr/expr_source.o: $(O)/gen/expr_library.inc

# Programs of OpenCL as C strings: the prelude, headers of mathematics, kernels.
# (It has words for the bits of numbers, and no memcpy().)
opencl_text = sed -E -e '/^\#include/d' -e '/^DEVICE_FN [a-z0-9_]+ kern_(bits|bits_f|float|double)\(/,/^\}/d' $(1) | sed -e 's/^[ \t]*//' -e '/^$$/d' -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/'
opencl_projectors := src/num/device/opencl/prelude.cl $(addprefix src/ct/projector/,$(addprefix model/,joseph.h column.h siddon.h gather.h sf.h general_work.h) \
	opencl/work.h opencl/general.cl)
$(O)/gen/opencl_projectors.inc: $(opencl_projectors)
	@mkdir -p $(@D)
	@$(call opencl_text,$^) > $@

opencl_expressions := src/num/device/opencl/prelude.cl src/num/kern/kern_math.h src/num/expr/opencl/library.cl
$(O)/gen/opencl_expressions.inc: $(opencl_expressions)
	@mkdir -p $(@D)
	@$(call opencl_text,$^) > $@

# Without the functions that compute in float64.
$(O)/gen/opencl_expressions_float32.inc: $(filter %.cl,$(opencl_expressions))
	@mkdir -p $(@D)
	@$(call opencl_text,$^) > $@

opencl_fbp := $(addprefix src/,num/device/opencl/prelude.cl ct/fbp/fbp_detector_hit.h ct/fbp/opencl/work.h ct/fbp/opencl/spread.cl)
$(O)/gen/opencl_fbp.inc: $(opencl_fbp)
	@mkdir -p $(@D)
	@$(call opencl_text,$^) > $@

$(O)/obj/ct/fbp/opencl/fbp_opencl.o: $(O)/gen/opencl_fbp.inc
$(O)/obj/ct/projector/opencl/general.o: $(O)/gen/opencl_projectors.inc
$(O)/obj/num/expr/opencl/expr_opencl.o: $(O)/gen/opencl_expressions.inc $(O)/gen/opencl_expressions_float32.inc

$(O)/obj/%.o: src/%.c $(O)/flags | $(O)/gen/tools.inc $(O)/gen/suites.inc
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(CFLAGS_$(firstword $(subst /, ,$*))) $(CFLAGS_$(notdir $*)) $(if $(filter ct/projector/% ct/stream/%,$*),$(CFLAGS_models)) -MMD -MP -c $< -o $@

ifeq ($(CUDA),emulate)
$(O)/obj/%.cu.o: src/%.cu $(O)/flags_cuda
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) -x c++ -Itests/emulator -include cuda_runtime.h $(CPPFLAGS) $(CXXFLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

$(O)/obj/%.cc.o: tests/%.cc $(O)/flags_cuda
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) -Itests/emulator $(CPPFLAGS) $(CXXFLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@
else ifeq ($(HIP),1)
$(O)/obj/%.cu.o: src/%.cu $(O)/flags_cuda
	$(call say,HIPCC,$<)
	@mkdir -p $(@D)
	$(Q)$(HIPCC) $(HIPFLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@
else
$(O)/obj/%.cu.o: src/%.cu $(O)/flags_cuda
	$(call say,NVCC,$<)
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(NVFLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@
endif

# Objects of different modules may have the same name: q appends where r would replace.
$(CORE): $(objs) $(O)/gen/objects
	$(call say,AR,$@)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(AR) qcs $@ $(objs)

# The public library: what include/gantry.h declares, and what of the core that needs, hidden. mk/gantry.map has the same names as a pattern.
$(PUBLIC).so: $(O)/obj/library/gantry.o $(CORE) mk/gantry.map $(O)/flags_link
	$(call say,LD,$@)
	$(Q)$(CC) -shared -Wl,-soname,libgantry.so.$(SOVERSION) -Wl,--version-script=mk/gantry.map $(LDFLAGS) -o $@ $< $(CORE) $(LDLIBS)
	@ln -sf $(@F) $@.$(SOVERSION)

$(PUBLIC).a: $(O)/obj/library/gantry.o $(CORE)
	$(call say,AR,$@)
	@rm -f $@
	$(Q)$(CC) -r -nostdlib -o $@.o $< $(CORE)
	$(Q)$(OBJCOPY) --localize-hidden $@.o
	$(Q)$(AR) qcs $@ $@.o
	@rm $@.o

# Every tool is main_NAME() in src/tools/NAME.c, with _ for -. One program has them all, under the names of all; the front command starts fast
# without them.
$(commands): $(TOOLS:%=$(O)/obj/tools/%.o) $(O)/obj/main.o $(CORE) $(O)/flags_link
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(CORE) $(LDLIBS)

$(bins): $(commands)
	@mkdir -p $(@D)
	@ln -f $< $@ 2>/dev/null || cp -f $< $@

$(O)/bin/gantry: $(O)/obj/tools/gantry.o $(CORE) $(O)/flags_link
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -Wl,--defsym=main=main_gantry -o $@ $< $(CORE) $(LDLIBS)

# Arguments and options of all commands, from themselves: for gantry help and gantry history.
$(O)/bin/commands.tsv: $(bins)
	$(call say,GEN,$@)
	$(Q)scripts/commands $(O)

# As plain C: sanitizers and other compilers are for what we link ourselves.
$(O)/lib/mpi-%.so: src/misc/ranks/mpi/module.c src/misc/ranks/module.h $(O)/flags
	$(call say,MPICC,$@)
	@mkdir -p $(@D)
	$(Q)mpicc.$* -std=gnu11 $(WARN) -O2 -g0 -fPIC -fvisibility=default -shared -Isrc -o $@ $<

$(O)/unit/%: tests/unit/%.c $(CORE) $(O)/flags $(O)/flags_link
	$(call say,UNIT,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -MF $@.d $(LDFLAGS) -o $@ $< $(CORE) $(LDLIBS)

# C programs of examples/NAME/NAME.c, which use the inner library.
$(O)/examples/%: examples/%/%.c $(CORE) $(O)/flags $(O)/flags_link
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -MF $@.d $(LDFLAGS) -o $@ $< $(CORE) $(LDLIBS)

units: $(units)
gpu-units: $(filter $(O)/unit/gpu_%,$(units))

# Every kernel for one architecture, as nvcc takes it: make CUDA=1 NVARCH=75 kernels
kernels: $(cusrc:src/%.cu=$(O)/obj/%.cu.o)

check: all units
	scripts/check $(O)

demo: all
	scripts/demo $(O)

bench: all units
	scripts/bench $(O)

lint:
	scripts/lint $(O)

doc: all
	scripts/doc $(O)

clean:
	rm -rf $(O)

include mk/install.mk
-include $(shell find $(O) -name '*.d' 2>/dev/null)
