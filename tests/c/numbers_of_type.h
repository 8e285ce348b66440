/* Included once for each type: T, REAL, NAME, and COMPLEX from the first complex one on. */
static double const NAME(epsilon) = sizeof(REAL) == 4 ? 6e-8 : 1.2e-16;

/* A number that belongs to (i, j), whoever asks. */
static T NAME(number)(unsigned salt, int i, int j) {
#ifdef COMPLEX
  return (T)((REAL)at(salt, i, j) + I * (REAL)at(salt + 7, i, j));
#else
  return (T)at(salt, i, j);
#endif
}

/* Largest difference, and of what size the numbers are; NaN nowhere. */
static double NAME(difference)(T const* x, T const* y, size_t count, double* size) {
  double most = 0;
  for (size_t k = 0; k < count; ++k) {
    double const d = cabs((double complex)(x[k] - y[k])), s = cabs((double complex)y[k]);
    if (!(d <= most)) most = isnan(d) ? INFINITY : d;
    if (s > *size) *size = s;
  }
  return most;
}
