/* Expectations of the C interface's tests: a call succeeds, or its error has a code and a word. */
#ifndef EXPECT_H
#define EXPECT_H

#include <allport/allport.h>

#include "numbers.h"

#define EXPECT(call)                                                 \
  do {                                                               \
    int const code = call;                                           \
    CHECK(code == ALLPORT_SUCCESS, "%d: %s", code, allport_error()); \
  } while (0)
#define REFUSED(wanted, word, call)                                                                  \
  do {                                                                                               \
    int const code = call;                                                                           \
    CHECK(code == wanted && strstr(allport_error(), word) != NULL, "%d: %s", code, allport_error()); \
  } while (0)

/* NULL, and the error names `word`. */
#define REFUSED_TEXT(word, call)                                                                         \
  do {                                                                                                   \
    char const* const text = call;                                                                       \
    CHECK(text == NULL && strstr(allport_error(), word) != NULL, "%s: %s", text == NULL ? "NULL" : text, \
          allport_error());                                                                              \
  } while (0)

#endif
