/* A halo exchange on a grid of two periodic axes that asks MPI_Cart_create for reorder; a program that knows only MPI.
 * With and without the MPI drop-in's order, on a lab whose axes differ:
 *
 *   mpicc -O2 bench/halo.c -o halo
 *   allport lab up FILE.toml --name halo
 *   allport lab run --name halo -x LD_PRELOAD=$(allport dropin mpi) -x ALLPORT_MACHINE=$PWD/FILE.toml \
 *     -x ALLPORT_REORDER=1 -- ./halo 2 8 65536 9
 *
 * ARGUMENTS: both lengths, bytes to each neighbour, rounds; then "messages" (the default), "collective" for
 * MPI_Neighbor_alltoall, or "short" for as many of these calls in a row. Prints the slowest rank's seconds of each
 * round, or of a call in the mean. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What arrives from above was sent to below. */
static void exchange(int collective, char* out, char* in, size_t bytes, int const* near, MPI_Comm cart) {
  if (collective) {
    MPI_Neighbor_alltoall(out, (int)bytes, MPI_CHAR, in, (int)bytes, MPI_CHAR, cart);
    return;
  }
  MPI_Request requests[8];
  for (int d = 0; d < 4; ++d) {
    MPI_Irecv(in + (size_t)d * bytes, (int)bytes, MPI_CHAR, near[d], d, cart, &requests[d]);
  }
  for (int d = 0; d < 4; ++d) {
    MPI_Isend(out + (size_t)d * bytes, (int)bytes, MPI_CHAR, near[d], d ^ 1, cart, &requests[4 + d]);
  }
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

static double slowest(double mine, MPI_Comm comm) {
  double most = 0;
  MPI_Reduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
  return most;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 5 || argc > 6 || atoi(argv[3]) < 0) {
    fprintf(stderr, "usage: halo LENGTH LENGTH BYTES ROUNDS [messages|collective|short]\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  int const lengths[2] = {atoi(argv[1]), atoi(argv[2])}, periods[2] = {1, 1};
  size_t const bytes = (size_t)atoi(argv[3]);
  int const in_a_row = argc == 6 && strcmp(argv[5], "short") == 0;
  int const collective = in_a_row || (argc == 6 && strcmp(argv[5], "collective") == 0);
  int const rounds = in_a_row ? 0 : atoi(argv[4]);
  MPI_Comm cart;
  MPI_Cart_create(MPI_COMM_WORLD, 2, lengths, periods, 1, &cart);
  if (cart != MPI_COMM_NULL) {
    int near[4], me;
    MPI_Comm_rank(cart, &me);
    for (int a = 0; a < 2; ++a) MPI_Cart_shift(cart, a, 1, &near[2 * a], &near[2 * a + 1]);
    char *out = malloc(4 * bytes + 1), *in = malloc(4 * bytes + 1);
    for (int round = 0; round <= rounds; ++round) { /* the first one opens connections */
      for (size_t i = 0; i < 4 * bytes; ++i) out[i] = (char)(me + 7 * round + (int)i);
      MPI_Barrier(cart);
      double const began = MPI_Wtime();
      exchange(collective, out, in, bytes, near, cart);
      double const mine = MPI_Wtime() - began;
      for (size_t i = 0; i < 4 * bytes; ++i) {
        size_t const d = i / bytes, sent = (d ^ 1) * bytes + i % bytes;
        if (in[i] != (char)(near[d] + 7 * round + (int)sent)) {
          fprintf(stderr, "halo: rank %d, round %d: byte %zu is wrong\n", me, round, i);
          MPI_Abort(MPI_COMM_WORLD, 1);
        }
      }
      double const most = slowest(mine, cart);
      if (me == 0 && round > 0) printf("%.4f%c", most, round == rounds ? '\n' : ' ');
    }
    if (in_a_row) {
      int const calls = atoi(argv[4]);
      for (int i = 0; i < calls / 10; ++i) exchange(1, out, in, bytes, near, cart);
      MPI_Barrier(cart);
      double const began = MPI_Wtime();
      for (int i = 0; i < calls; ++i) exchange(1, out, in, bytes, near, cart);
      double const most = slowest(MPI_Wtime() - began, cart);
      if (me == 0) printf("%.3f us\n", most / calls * 1e6);
    }
    free(out);
    free(in);
    MPI_Comm_free(&cart);
  }
  MPI_Finalize();
  return 0;
}
