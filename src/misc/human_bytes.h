#ifndef MISC_HUMAN_BYTES_H
#define MISC_HUMAN_BYTES_H

/** Returns a size as text, such as "1.5 GiB". The text is valid during the next three calls. */
extern const char *human_bytes(double bytes);

#endif
