#ifndef MISC_BASE64_H
#define MISC_BASE64_H

/** Base64 (RFC 4648, padded) of n bytes, malloc'd. */
extern char *base64(const unsigned char *data, long n);

#endif
