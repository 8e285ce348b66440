/* Operations and datatypes of reductions: predefined and user-defined ones, some that do not commute, elements with
 * gaps. A program that never heard of Allport. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* 2x2 matrices modulo 10007, whose product does not commute. */
static void multiply(void* left, void* right, int* n, MPI_Datatype* type) {
  int *a = left, *b = right;
  (void)type;
  for (int i = 0; i < *n; ++i, a += 4, b += 4) {
    int const c[4] = {(a[0] * b[0] + a[1] * b[2]) % 10007, (a[0] * b[1] + a[1] * b[3]) % 10007,
                      (a[2] * b[0] + a[3] * b[2]) % 10007, (a[2] * b[1] + a[3] * b[3]) % 10007};
    memcpy(b, c, sizeof c);
  }
}

static void matrix(int r, int i, int* m) {
  m[0] = r + 1;
  m[1] = i % 100;
  m[2] = 3;
  m[3] = r + i % 7;
}

static void non_commutative(MPI_Comm comm, int n) {
  int const p = size_of(comm), me = rank_of(comm);
  MPI_Datatype matrices;
  MPI_Op product;
  MPI_Type_contiguous(4, MPI_INT, &matrices);
  MPI_Type_commit(&matrices);
  MPI_Op_create(multiply, 0, &product);
  int *in = numbers(4 * (size_t)n * p), *out = numbers(4 * (size_t)n * p), *want = numbers(4 * (size_t)n * p);
  for (int i = 0; i < n * p; ++i) {
    matrix(me, i, in + 4 * i);
    int m[4], one = 1;
    matrix(p - 1, i, want + 4 * i);
    for (int r = p - 2; r >= 0; --r) {
      matrix(r, i, m);
      multiply(m, want + 4 * i, &one, NULL);
    }
  }
  for (int root = 0; root < p; ++root) {
    MPI_Reduce(in, out, n, matrices, product, root, comm);
    for (int i = 0; i < 4 * n && me == root; ++i) EXPECT("product to a root", i, out[i], want[i]);
  }
  MPI_Allreduce(in, out, n, matrices, product, comm);
  for (int i = 0; i < 4 * n; ++i) EXPECT("product to all", i, out[i], want[i]);
  MPI_Reduce_scatter_block(in, out, n, matrices, product, comm);
  for (int i = 0; i < 4 * n; ++i) EXPECT("product in blocks", i, out[i], want[4 * n * me + i]);
  MPI_Op_free(&product);
  MPI_Type_free(&matrices);
  free(in);
  free(out);
  free(want);
}

/* Pairs with padding, logical operations, bits, complex numbers. */
static void operations(MPI_Comm comm) {
  int const p = size_of(comm), me = rank_of(comm);
  struct {
    double value;
    int place;
  } mine[5], best[5];
  for (int i = 0; i < 5; ++i) mine[i].value = (me * 7 + i) % p, mine[i].place = me;
  MPI_Allreduce(mine, best, 5, MPI_DOUBLE_INT, MPI_MINLOC, comm);
  for (int i = 0; i < 5; ++i) {
    double least = 1e9;
    int place = -1;
    for (int r = 0; r < p; ++r) {
      if ((r * 7 + i) % p < least) least = (r * 7 + i) % p, place = r;
    }
    EXPECT("minloc", i, best[i].value, least);
    EXPECT("minloc's place", i, best[i].place, place);
  }
  int yes = me != p - 1, all = 7, any = 7;
  MPI_Allreduce(&yes, &all, 1, MPI_INT, MPI_LAND, comm);
  MPI_Allreduce(&yes, &any, 1, MPI_INT, MPI_LOR, comm);
  EXPECT("land", 0, all, 0);
  EXPECT("lor", 0, any, p > 1);
  unsigned char bit = (unsigned char)(1 << me % 8), bits = 0, want = 0;
  for (int r = 0; r < p; ++r) want ^= (unsigned char)(1 << r % 8);
  MPI_Allreduce(&bit, &bits, 1, MPI_BYTE, MPI_BXOR, comm);
  EXPECT("bxor", 0, bits, want);
  double z[2] = {me, 1}, sum[2] = {0, 0};
  MPI_Allreduce(z, sum, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, comm);
  EXPECT("complex", 0, sum[0], p * (p - 1) / 2);
  EXPECT("complex", 1, sum[1], p);
}

/* Sums elements of a resized type with a gap and a negative lower bound. */
static void add_spread(void* in, void* inout, int* n, MPI_Datatype* type) {
  MPI_Aint lb, extent;
  MPI_Type_get_extent(*type, &lb, &extent);
  for (int i = 0; i < *n; ++i) {
    int *a = (int*)((char*)in + i * extent), *b = (int*)((char*)inout + i * extent);
    b[0] += a[0];
    b[2] += a[2];
  }
}

static void gaps(MPI_Comm comm, int n) {
  int const p = size_of(comm), me = rank_of(comm);
  int lengths[] = {1, 1}, places[] = {0, 2};
  MPI_Datatype inner, spread;
  MPI_Op sum;
  MPI_Type_indexed(2, lengths, places, MPI_INT, &inner);
  MPI_Type_create_resized(inner, -4, 16, &spread);
  MPI_Type_commit(&spread);
  MPI_Op_create(add_spread, 1, &sum);
  int *in = numbers(4 * (size_t)n), *out = numbers(4 * (size_t)n);
  for (int i = 0; i < n; ++i) in[4 * i] = me + i, in[4 * i + 2] = 2 * me;
  MPI_Allreduce(in, out, n, spread, sum, comm);
  for (int i = 0; i < n; ++i) {
    EXPECT("spread sum", i, out[4 * i], p * (p - 1) / 2 + p * i);
    EXPECT("spread sum", i, out[4 * i + 2], p * (p - 1));
    EXPECT("gap", i, out[4 * i + 1], -1);
    EXPECT("gap", i, out[4 * i + 3], -1);
  }
  int* all = numbers(4 * (size_t)n * p);
  MPI_Allgather(in, n, spread, all, n, spread, comm);
  for (int i = 0; i < n * p; ++i) {
    EXPECT("spread allgather", i, all[4 * i], i / n + i % n);
    EXPECT("spread allgather's gap", i, all[4 * i + 1], -1);
  }
  free(all);
  free(in);
  free(out);
  MPI_Op_free(&sum);
  MPI_Type_free(&spread);
  MPI_Type_free(&inner);
}

static void everything(MPI_Comm comm) {
  static const int sizes[] = {0, 1, 5, 300};
  if (size_of(comm) == 1) return;
  for (int s = 0; s < 4; ++s) {
    gaps(comm, sizes[s]);
    non_commutative(comm, sizes[s]);
  }
  operations(comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  everything(MPI_COMM_WORLD);
  MPI_Comm some;
  MPI_Comm_split(MPI_COMM_WORLD, rank_of(MPI_COMM_WORLD) / 3, -rank_of(MPI_COMM_WORLD), &some);
  everything(some);
  MPI_Comm_free(&some);
  return finish("operations");
}
