#include "misc/plot/film.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/options/trial.h"
#include "misc/plot/gif.h"
#include "misc/plot/png_animation.h"

struct film {
	const char *path;
	struct file_out *file;
	bool gif, mp4;
	long width, height, frames;
	double rate;
	struct png_animation *apng;
	struct gif_animation *animation;
	pid_t program;
	FILE *to; // the program
};

static bool ends_in(const char *path, const char *extension)
{
	const size_t n = strlen(path), m = strlen(extension);

	return n > m && 0 == strcasecmp(path + n - m, extension);
}

struct film *film_create(const char *path, long frames, double rate)
{
	struct film *f = NEW(struct film);

	f->path = path;
	f->gif = ends_in(path, ".gif");
	f->mp4 = ends_in(path, ".mp4");
	f->frames = frames;
	f->rate = rate;
	f->file = f->mp4 ? file_create_named(path) : file_create(path);
	return f;
}

/* ---- ffmpeg ---- */

/* With the end of a pipe as its standard input; our signals are not its own. */
static int spawn(pid_t *pid, char *argv[], const int ends[2])
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t ignored;

	sigemptyset(&ignored);
	sigaddset(&ignored, SIGPIPE);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &ignored);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);

	const int bad = posix_spawnp(pid, argv[0], &actions, &attributes, argv, environ);

	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return bad;
}

/* Sides become even, as the format needs. */
static void start_program(struct film *f)
{
	char *size = mem_printf("%ldx%ld", f->width, f->height), *rate = mem_printf("%g", f->rate);
	// ffmpeg may outlive a trial, and would then create the removed file again
	const char *out = trial_is_on() ? "/dev/null" : file_out_path(f->file);
	char *argv[] = {"ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size,
	        "-r", rate, "-i", "pipe:0", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p",
	        "-f", "mp4", (char *)out, NULL};
	int ends[2];

	if (0 != pipe2(ends, O_CLOEXEC))
		error("%s: cannot create a pipe to ffmpeg: %s", f->path, strerror(errno));

	const int bad = spawn(&f->program, argv, ends);

	if (bad)
		error("%s: ffmpeg cannot be started (%s). Install ffmpeg, or write .png or .gif", f->path,
		        strerror(bad));

	close(ends[0]);
	f->to = fdopen(ends[1], "wb");
	free(size);
	free(rate);
}

static void end_program(struct film *f)
{
	int status = 0;
	const bool whole = 0 == fclose(f->to);

	while (waitpid(f->program, &status, 0) < 0 && EINTR == errno)
		;

	if (!whole || !WIFEXITED(status) || 0 != WEXITSTATUS(status))
		error("%s: ffmpeg failed (%s %d)", f->path, WIFSIGNALED(status) ? "signal" : "exit status",
		        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* ---- pictures ---- */

static void empty(const struct film *f)
{
	FILE *to = file_stream(f->file);
	struct stat st;

	if (0 == fstat(fileno(to), &st) && S_ISREG(st.st_mode) && 0 < st.st_size &&
	        (0 != fseek(to, 0, SEEK_SET) || 0 != ftruncate(fileno(to), 0)))
		file_failed(f->file, NULL);
}

void film_start(struct film *f, long width, long height)
{
	const struct png_format format = {.width = width, .height = height, .bits = 8, .rgb = true};
	const long delay = (long)(1000. / f->rate + .5);

	f->width = width;
	f->height = height;
	empty(f);

	if (f->mp4)
		start_program(f);
	else if (f->gif)
		f->animation = gif_animation_start(f->file, width, height, delay);
	else
		f->apng = png_animation_start(f->file, f->path, &format, f->frames, delay);
}

struct frame {
	const unsigned char *rgb;
	size_t bytes; // of a row
};

static void put_row(void *ctx, long y, void *row)
{
	const struct frame *frame = ctx;

	memcpy(row, frame->rgb + (size_t)y * frame->bytes, frame->bytes);
}

void film_frame(struct film *f, const unsigned char *rgb)
{
	struct frame frame = {rgb, 3 * (size_t)f->width};

	if (f->mp4)
		fwrite(rgb, frame.bytes, (size_t)f->height, f->to); // a failure shows at the end
	else if (f->gif)
		gif_animation_frame(f->animation, rgb);
	else
		png_animation_frame(f->apng, put_row, &frame);
}

long film_end(struct film *f)
{
	struct stat st;

	if (f->mp4)
		end_program(f);
	else if (f->gif)
		gif_animation_end(f->animation);
	else
		png_animation_end(f->apng);

	if (0 != fflush(file_stream(f->file)))
		file_failed(f->file, NULL);

	return 0 == fstat(fileno(file_stream(f->file)), &st) ? (long)st.st_size : 0;
}

void film_commit(struct film *f)
{
	file_commit(f->file);
	free(f);
}
