/** Ray casting for any machine. */

#define RENDER_KERN render_kern_plain
#include "volume/render/render_kern.inc"
