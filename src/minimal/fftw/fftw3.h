#ifndef MINIMAL_FFTW_FFTW3_H
#define MINIMAL_FFTW_FFTW3_H

/** Declares the part of FFTW that num/fft/fft.c uses. If FFTW is not installed (make FFTW=0), this header and
 * fftw3.c replace FFTW. The results are correct, but transforms are much slower. */
enum { FFTW_FORWARD = -1, FFTW_BACKWARD = 1, FFTW_ESTIMATE = 0 };

typedef float fftwf_complex[2];
typedef double fftw_complex[2];
typedef struct fft_plan *fftwf_plan, *fftw_plan;

extern fftwf_plan fftwf_plan_dft_1d(int n, fftwf_complex *in, fftwf_complex *out, int sign, unsigned flags);
extern fftwf_plan fftwf_plan_dft_r2c_1d(int n, float *in, fftwf_complex *out, unsigned flags);
extern fftwf_plan fftwf_plan_dft_c2r_1d(int n, fftwf_complex *in, float *out, unsigned flags);
extern void fftwf_execute_dft(fftwf_plan p, fftwf_complex *in, fftwf_complex *out);
extern void fftwf_execute_dft_r2c(fftwf_plan p, float *in, fftwf_complex *out);
extern void fftwf_execute_dft_c2r(fftwf_plan p, fftwf_complex *in, float *out);

extern fftw_plan fftw_plan_dft_1d(int n, fftw_complex *in, fftw_complex *out, int sign, unsigned flags);
extern fftw_plan fftw_plan_dft_r2c_1d(int n, double *in, fftw_complex *out, unsigned flags);
extern fftw_plan fftw_plan_dft_c2r_1d(int n, fftw_complex *in, double *out, unsigned flags);
extern void fftw_execute_dft(fftw_plan p, fftw_complex *in, fftw_complex *out);
extern void fftw_execute_dft_r2c(fftw_plan p, double *in, fftw_complex *out);
extern void fftw_execute_dft_c2r(fftw_plan p, fftw_complex *in, double *out);

#endif
