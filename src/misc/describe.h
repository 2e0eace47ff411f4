#ifndef MISC_DESCRIBE_H
#define MISC_DESCRIBE_H

#include "misc/file/hdr.h"
#include "misc/options/opt.h"

/** Options of commands that import data. The options give the spacing, origin, quantity and unit of the
 * imported array. */
struct describe_opts {
	struct opt_doubles spacing; // [mm]
	struct opt_doubles origin;  // [mm] position of the centre of the first element
	int quantity;               // enum quantity
	bool quantity_given;
	const char *unit;
};

#define OPT_DESCRIBE(o)                                                                                      \
	OPT_DOUBLES(0, "spacing", &(o)->spacing, "SX:SY:..", 0, 0,                                           \
	        "spacing [mm]; one number: along x, y and z"),                                               \
	        OPT_DOUBLES(0, "origin", &(o)->origin, "X:Y:..", 0, 0, "centre of the first element [mm]"),  \
	        {0, "quantity", OPT_KIND_CHOICE, &(o)->quantity,                                             \
	                "unknown|counts|transmission|line-integral|attenuation|hounsfield|weights|mask|"     \
	                "geometry",                                                                          \
	                "what the numbers are", 0, 0, 0, &(o)->quantity_given},                              \
	        OPT_STRING(0, "unit", &(o)->unit, "UNIT", "unit of the numbers, e.g. 1/mm")

/** Writes the given option values into h. Other fields of h do not change. A single spacing applies to dims
 * 0, 1 and 2. Calls usage_error() if a spacing is not positive. Calls usage_error() if the unit has several
 * lines or more than 31 characters. */
extern void describe(struct hdr *h, const struct describe_opts *o);

#endif
