#ifndef MISC_HUMAN_BYTES_H
#define MISC_HUMAN_BYTES_H

/** "1.5 GiB", "200 MiB"; static buffers in rotation (4). */
extern const char *human_bytes(double bytes);

#endif
