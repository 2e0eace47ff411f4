#ifndef MISC_PLOT_FILM_H
#define MISC_PLOT_FILM_H

/**
 * A film is a file with moving pictures. Names ending in .gif or .mp4 give GIF or MP4 files. The program
 * ffmpeg writes MP4. All other names, and standard output, give animated PNG. The file gets its name when the
 * film is complete.
 */

struct film;

/** Creates a film of `frames` pictures with `rate` pictures per second. Calls error() if the file cannot be
 * created. */
extern struct film *film_create(const char *path, long frames, double rate);

/** Starts the film with pictures of width x height pixels. Earlier pictures are deleted. For .mp4, a
 * missing ffmpeg is an error(). */
extern void film_start(struct film *f, long width, long height);

/** Adds a picture with three bytes per pixel, row by row from the top. Call this function `frames` times.
 */
extern void film_frame(struct film *f, const unsigned char *rgb);

/** Ends the film. Returns the size of the file in bytes, or 0 if the output is a pipe. */
extern long film_end(struct film *f);

extern void film_commit(struct film *f);

#endif
