/* What GCC's headers and its static C++ library ask of a C library younger than the one that a wheel is linked for
   (2.28). Each part of the wheel has these for itself. */
#define _GNU_SOURCE
#include <sys/random.h>
#include <sys/stat.h>

#define OURS __attribute__((visibility("hidden")))

/* 2.32: "no" makes shared_ptr count atomically, always. */
OURS char __libc_single_threaded = 0;

/* 2.33: before, these were inline calls of the functions below. */
extern int __xstat(int, const char*, struct stat*);
extern int __lxstat(int, const char*, struct stat*);
extern int __fxstat(int, int, struct stat*);
enum { version = 1 };
OURS int stat(const char* restrict path, struct stat* restrict to) { return __xstat(version, path, to); }
OURS int lstat(const char* restrict path, struct stat* restrict to) { return __lxstat(version, path, to); }
OURS int fstat(int file, struct stat* to) { return __fxstat(version, file, to); }
OURS int fstat64(int file, struct stat64* to) { return __fxstat(version, file, (struct stat*)to); }

/* 2.36, for std::random_device. */
OURS unsigned arc4random(void) {
  unsigned number = 0;
  while (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) {
  }
  return number;
}
