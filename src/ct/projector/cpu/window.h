#ifndef CT_PROJECTOR_CPU_WINDOW_H
#define CT_PROJECTOR_CPU_WINDOW_H

/** Copies between a view and a window of the view, whose lines may be along columns or rows: window[a * pitch
 * + b] is view[a * across + b * along], a in 0..lines-1, b in 0..n-1. across and along are in elements; along
 * may be negative. */
extern void window_get(
        float *window, long pitch, const float *view, long across, long along, long lines, long n);
/** view += window. */
extern void window_add(
        float *view, long across, long along, const float *window, long pitch, long lines, long n);

#endif
