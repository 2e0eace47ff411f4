/* Replaces ct/exchange/exchange_dicom.c in builds without libtiff or zlib, which omit the formats of image
 * files. */

#include "ct/exchange/exchange.h"
#include "misc/error.h"
#include "misc/formats/names.h"

struct geom *exchange_read_dicom(int n, struct named_file files[])
{
	error("%s: reading DICOM needs libtiff and zlib, which this build lacks (it was made with TIFF=0 or "
	      "ZLIB=0)",
	        (0 < n) ? files[0].path : "--from dicom");
}
