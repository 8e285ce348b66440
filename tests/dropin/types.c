/* Types of MPI 4's large-count constructors, elements of more than a gigabyte, elements that an operator sees aligned.
 * A program that never heard of Allport. */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { n = 3000 };

/* Two in a row, then a gap of one. */
static void expect_couples(const char* what, const int* a, int first) {
  for (int i = 0; i < 3 * n; ++i) EXPECT(what, i, a[i], i % 3 < 2 ? first + i : -1);
}

static void by_large_counts(MPI_Comm comm) {
#if MPI_VERSION >= 4
  int const me = rank_of(comm), p = size_of(comm);
  MPI_Datatype couple, spaced, types[3];
  MPI_Type_contiguous_c(2, MPI_INT, &couple);
  MPI_Type_create_resized_c(couple, 0, 3 * (MPI_Count)sizeof(int), &spaced);
  MPI_Type_contiguous_c(n, spaced, &types[0]);
  MPI_Type_vector_c(n, 2, 3, MPI_INT, &types[1]);
  MPI_Type_create_hvector_c(n, 1, 3 * (MPI_Count)sizeof(int), couple, &types[2]);
  for (int t = 0; t < 3; ++t) {
    int* a = numbers(3 * n);
    MPI_Type_commit(&types[t]);
    for (int i = 0; i < 3 * n && me == p - 1; ++i) a[i] = i % 3 < 2 ? t + i : -1;
    MPI_Bcast(a, 1, types[t], p - 1, comm);
    expect_couples("bcast of a large-count type", a, t);
    MPI_Type_free(&types[t]);
    free(a);
  }
  int *in = numbers(2 * n), *all = numbers(2 * (size_t)n * p);
  for (int i = 0; i < 2 * n; ++i) in[i] = me * 10000 + i;
  MPI_Type_commit(&couple);
  MPI_Allgather(in, n, couple, all, 2 * n, MPI_INT, comm);
  for (int i = 0; i < 2 * n * p; ++i) EXPECT("allgather of couples", i, all[i], i / (2 * n) * 10000 + i % (2 * n));
  MPI_Type_free(&spaced);
  MPI_Type_free(&couple);
  free(all);
  free(in);
#else
  (void)comm;
  (void)expect_couples;
#endif
}

/* One element of a little more than a gigabyte, which rank 0 sends from one page again and again, and the others
 * receive as bytes: the ranks' types differ, what they carry does not. */
static void long_element(MPI_Comm comm) {
  enum { page = 4096, pages = (1 << 18) + 3 };
  int const me = rank_of(comm);
  size_t const bytes = (size_t)page * pages;
  MPI_Datatype type, part;
  int code = MPI_SUCCESS;
  unsigned char* data = malloc(me == 0 ? page : bytes);
  if (me == 0) {
    for (int i = 0; i < page; ++i) data[i] = (unsigned char)(i * 7 + i / 256);
    MPI_Type_contiguous(page, MPI_BYTE, &part);
    MPI_Type_create_hvector(pages, 1, 0, part, &type);
    MPI_Type_commit(&type);
    code = MPI_Bcast(data, 1, type, 0, comm);
    MPI_Type_free(&type);
    MPI_Type_free(&part);
  } else {
    memset(data, 0, bytes);
    code = MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, comm);
    for (size_t i = 0; i < bytes; i += 997) {
      size_t const at = i % page;
      if (data[i] == (unsigned char)(at * 7 + at / 256)) continue;
      EXPECT("long element", i, data[i], (unsigned char)(at * 7 + at / 256));
      break;
    }
  }
  EXPECT("long element's code", 0, code, MPI_SUCCESS);
  free(data);
}

struct measured {
  float skipped, weight;
  double value;
};
static int misaligned;

static void add_measured(void* in, void* inout, int* count, MPI_Datatype* type) {
  struct measured *a = in, *b = inout;
  (void)type;
  misaligned += (uintptr_t)a % _Alignof(struct measured) != 0 || (uintptr_t)b % _Alignof(struct measured) != 0;
  for (int i = 0; i < *count; ++i) {
    b[i].weight += a[i].weight;
    b[i].value += a[i].value;
  }
}

/* The type begins in the middle of the struct. */
static void aligned(MPI_Comm comm) {
  int const me = rank_of(comm), p = size_of(comm);
  static struct measured in[n], out[n];
  int lengths[] = {1, 1};
  MPI_Aint places[] = {offsetof(struct measured, weight), offsetof(struct measured, value)};
  MPI_Datatype kinds[] = {MPI_FLOAT, MPI_DOUBLE}, inner, type;
  MPI_Op add;
  MPI_Type_create_struct(2, lengths, places, kinds, &inner);
  MPI_Type_create_resized(inner, 0, sizeof(struct measured), &type);
  MPI_Type_commit(&type);
  MPI_Op_create(add_measured, 1, &add);
  for (int i = 0; i < n; ++i) in[i] = (struct measured){-1, (float)me, i}, out[i].skipped = 5;
  MPI_Allreduce(in, out, n, type, add, comm);
  for (int i = 0; i < n; ++i) {
    EXPECT("skipped", i, out[i].skipped, 5);
    EXPECT("weight", i, out[i].weight, p * (p - 1) / 2);
    EXPECT("value", i, out[i].value, (double)p * i);
  }
  EXPECT("misaligned elements", 0, misaligned, 0);
  MPI_Op_free(&add);
  MPI_Type_free(&type);
  MPI_Type_free(&inner);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  by_large_counts(MPI_COMM_WORLD);
  aligned(MPI_COMM_WORLD);
  if (argc > 1 && strcmp(argv[1], "long") == 0) long_element(MPI_COMM_WORLD);
  return finish("types");
}
