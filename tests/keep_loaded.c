/* Preloaded into ranks under the sanitizers, to make stacks that suppressions can name.
 *
 * Nothing is unloaded: Open MPI unloads its plug-ins at the end, and what they leaked would then come from nowhere: no
 * suppression could name it, and the leak checker itself has died of such frames.
 *
 * Texts of asprintf and vasprintf are made here: libc keeps no frame pointer, so of those that it makes no caller is
 * seen, and the function within it has a name only where libc's debugging symbols are installed. Allport's own texts
 * are C++ strings. The names that begin with two underscores are those that Debian's fortified libraries call. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int dlclose(void* handle) {
  (void)handle;
  return 0;
}

int vasprintf(char** text, char const* format, va_list values) {
  va_list again;
  va_copy(again, values);
  int const length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char* const made = length < 0 ? NULL : malloc((size_t)length + 1);
  if (made == NULL) {
    return -1;
  }
  *text = made;
  return vsnprintf(made, (size_t)length + 1, format, values);
}

int asprintf(char** text, char const* format, ...) {
  va_list values;
  va_start(values, format);
  int const length = vasprintf(text, format, values);
  va_end(values);
  return length;
}

int __vasprintf_chk(char** text, int flag, char const* format, va_list values) {
  (void)flag;
  return vasprintf(text, format, values);
}

int __asprintf_chk(char** text, int flag, char const* format, ...) {
  (void)flag;
  va_list values;
  va_start(values, format);
  int const length = vasprintf(text, format, values);
  va_end(values);
  return length;
}
