#ifndef MISC_FORMATS_TIFF_LIBRARY_H
#define MISC_FORMATS_TIFF_LIBRARY_H

#include <tiffio.h>

/** Opens libtiff on first use, because loading libtiff takes longer than most commands. */

#define TIFF_FUNCTIONS(X)                                                                                    \
	X(Close)                                                                                             \
	X(CurrentDirOffset)                                                                                  \
	X(FdOpen)                                                                                            \
	X(Fileno)                                                                                            \
	X(GetField)                                                                                          \
	X(GetFieldDefaulted)                                                                                 \
	X(IsByteSwapped)                                                                                     \
	X(IsCODECConfigured)                                                                                 \
	X(IsTiled)                                                                                           \
	X(NumberOfStrips)                                                                                    \
	X(ReadDirectory)                                                                                     \
	X(ReadEncodedStrip)                                                                                  \
	X(ReadTile)                                                                                          \
	X(SetErrorHandler)                                                                                   \
	X(SetField)                                                                                          \
	X(SetSubDirectory)                                                                                   \
	X(SetWarningHandler)                                                                                 \
	X(TileSize)                                                                                          \
	X(WriteDirectory)                                                                                    \
	X(WriteScanline)

struct tiff_library {
#define X(name) typeof(TIFF##name) *name;
	TIFF_FUNCTIONS(X)
#undef X
};

/** Returns libtiff. A missing library is an error(). Any thread may call this function. */
extern const struct tiff_library *libtiff(void);

#endif
