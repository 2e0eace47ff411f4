#ifndef MISC_PLOT_FILM_H
#define MISC_PLOT_FILM_H

/**
 * Moving pictures in the format of a file name: animated PNG (also without an extension, and to standard
 * output), .gif, or .mp4 by the program ffmpeg. The file appears under its name only when it is complete.
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
