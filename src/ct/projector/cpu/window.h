#ifndef CT_PROJECTOR_CPU_WINDOW_H
#define CT_PROJECTOR_CPU_WINDOW_H

/** Copies a part of a view into a window. Sets window[a * pitch + b] to view[a * across + b * along] for a <
 * lines and b < n. The strides `across` and `along` are in elements. A negative `along` is allowed. */
extern void window_get(
        float *window, long pitch, const float *view, long across, long along, long lines, long n);
/** Adds a window to a part of a view. The arguments are those of window_get(). */
extern void window_add(
        float *view, long across, long along, const float *window, long pitch, long lines, long n);

#endif
