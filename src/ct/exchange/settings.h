#ifndef CT_EXCHANGE_SETTINGS_H
#define CT_EXCHANGE_SETTINGS_H

#include <stdbool.h>

/**
 * Reads named values from a text: JSON, a printed Python dictionary, Python assignments and calls with
 * constant values, or lines KEY = VALUE. Examples: "key": 1, obj.key = np.array([1, 2]), key = 1, 2, 3,
 * call(key=(1, 2)). The key of a dotted name is its last part. Values are words, numbers or nested lists of
 * numbers. '#' starts a comment.
 */
struct setting {
	char *key;
	char *word; // NULL: numbers
	double *number;
	long n;           // numbers; 0 and no word: a value that is computed
	long width;       // of the innermost lists, which are of one length; 0 for a single number
	bool nested;      // a list of lists
	const char *call; // the call whose argument it is; NULL: none's
};

struct settings {
	const char *path;
	long n;
	struct setting *v;
};

/** error() naming path and line if a number or list is part of an expression, or if a list is unterminated. A
 * function call NAME(..) is stored as the word NAME with the key SETTINGS_CALL. Its arguments without a key
 * get the keys NAME.0, NAME.1, .. */
#define SETTINGS_CALL "()"
extern struct settings *settings_parse(const char *path, const char *text);
extern void settings_free(struct settings *s);

extern const struct setting *settings_find(const struct settings *s, const char *key); // NULL when absent
extern const char *settings_word(const struct settings *s, const char *key);           // NULL when absent

/** The number with that key. If the key is missing, the function returns `other`, or calls error() if `other`
 * is NAN. */
extern double settings_number(const struct settings *s, const char *key, double other);

/** The number with that key; error() unless it is an integer from 1 to 2^31 - 1. */
extern long settings_count(const struct settings *s, const char *key);

/** The n numbers with that key; error() if the number of values is not n. */
extern const double *settings_numbers(const struct settings *s, const char *key, long n);

#endif
