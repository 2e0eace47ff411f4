#ifndef CT_EXCHANGE_SETTINGS_H
#define CT_EXCHANGE_SETTINGS_H

#include <stdbool.h>

/**
 * Reads named values from a text. The text may be JSON, Python code with constant values, or lines KEY =
 * VALUE. Examples are:
 *
 *     "key": 1
 *     obj.key = np.array([1, 2])
 *     key = 1, 2, 3
 *     call(key=(1, 2))
 *
 * The key of a dotted name is the last part of the name. Values are words, numbers, or nested lists of
 * numbers. The character # starts a comment.
 */
struct setting {
	char *key;
	char *word; // NULL if the value consists of numbers
	double *number;
	long n;           // number of numbers; 0 without a word means that the text computes the value
	long width;       // common length of the innermost lists; 0 for a single number
	bool nested;      // whether the value is a list of lists
	const char *call; // name of the call that has this argument; NULL outside calls
};

struct settings {
	const char *path;
	long n;
	struct setting *v;
};

/** Parses the named values of a text. `path` is the name of the file in messages. A call NAME(..) is
 * stored as the word NAME with the key SETTINGS_CALL. Unnamed arguments of the call get the keys NAME.0,
 * NAME.1 and so on. An unterminated list is an error() naming path and line. A number that is part of an
 * expression is an error(), too. Release the result with settings_free(). */
#define SETTINGS_CALL "()"
extern struct settings *settings_parse(const char *path, const char *text);
extern void settings_free(struct settings *s);

/** Returns the last setting with the given key, or NULL if the key is missing. */
extern const struct setting *settings_find(const struct settings *s, const char *key);

/** Returns the word with the given key. Returns NULL if the key is missing, or if the value consists of
 * numbers. */
extern const char *settings_word(const struct settings *s, const char *key);

/** Returns the number with the given key. If the key is missing, returns `other`. If `other` is NAN, a
 * missing key is an error(). A value that is not a single number is an error(), too. */
extern double settings_number(const struct settings *s, const char *key, double other);

/** Returns the integer with the given key. The value must be an integer from 1 to 2^31 - 1. Another
 * value, or a missing key, is an error(). */
extern long settings_count(const struct settings *s, const char *key);

/** Returns the n numbers with the given key. A missing key, or another number of values, is an error(). */
extern const double *settings_numbers(const struct settings *s, const char *key, long n);

#endif
