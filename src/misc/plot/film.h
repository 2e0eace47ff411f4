#ifndef MISC_PLOT_FILM_H
#define MISC_PLOT_FILM_H

/**
 * Moving pictures. The extension of the file name chooses the format: .gif, .mp4 (written by the program
 * ffmpeg), or animated PNG. Without an extension, and on standard output, the format is animated PNG. The
 * file appears under its name only when it is complete.
 */

struct film;

/** Creates a film of `frames` pictures with `rate` pictures per second. error() naming the file if it cannot
 * be written. */
extern struct film *film_create(const char *path, long frames, double rate);

/** Starts the film with pictures of width x height pixels; previous pictures are dropped. error() if ffmpeg
 * is not found.
 */
extern void film_start(struct film *f, long width, long height);

/** Adds a frame: three bytes for each pixel, row by row from the top. Must be called once per frame.
 */
extern void film_frame(struct film *f, const unsigned char *rgb);

/** Ends the film; returns its number of bytes (0: written to standard output). */
extern long film_end(struct film *f);

extern void film_commit(struct film *f);

#endif
