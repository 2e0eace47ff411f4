#ifndef ITER_RECON_RECON_KEYS_H
#define ITER_RECON_RECON_KEYS_H

/** Keys of the argument of -R, as in tv:0.1:dims=x,y. Each term and each denoiser has a mask of the keys that
 * it accepts. */
enum recon_key {
	KEY_DIMS = 1,
	KEY_ANISO = 2,
	KEY_DELTA = 4,
	KEY_ALPHA = 8,
	KEY_LEVELS = 16,
	KEY_FAMILY = 32,
	KEY_RADIUS = 64,
	KEY_PATCH = 128,
	KEY_SEARCH = 256,
	KEY_STRENGTH = 512,
	KEY_SPINS = 1024,
	KEY_RATIO = 2048,
	KEY_PRIOR = 4096,
	KEY_ETA = 8192,
	KEY_WIDTH = 16384,
	KEY_STEPS = 32768
};

#endif
