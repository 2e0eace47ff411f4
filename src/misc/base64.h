#ifndef MISC_BASE64_H
#define MISC_BASE64_H

/** Returns n bytes of data as Base64 text with padding (RFC 4648). The caller frees the text. */
extern char *base64(const unsigned char *data, long n);

#endif
