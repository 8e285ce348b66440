/* A halo exchange on a grid of two periodic axes that asks MPI_Cart_create for reorder; a program that knows only MPI.
 * With and without the MPI drop-in's order, on a lab whose axes differ:
 *
 *   mpicc -O2 bench/halo.c -o halo
 *   allport lab up FILE.toml --name halo
 *   allport lab run --name halo -x LD_PRELOAD=$(allport dropin mpi) -x ALLPORT_MACHINE=$PWD/FILE.toml \
 *     -x ALLPORT_REORDER=1 -- ./halo 2 8 65536 9
 *
 * ARGUMENTS: both lengths, bytes to each neighbour, rounds. Prints the slowest rank's seconds of each round. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 5 || atoi(argv[3]) < 0) {
    fprintf(stderr, "usage: halo LENGTH LENGTH BYTES ROUNDS\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  int const lengths[2] = {atoi(argv[1]), atoi(argv[2])}, periods[2] = {1, 1};
  size_t const bytes = (size_t)atoi(argv[3]);
  int const rounds = atoi(argv[4]);
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
      MPI_Request requests[8];
      for (int d = 0; d < 4; ++d) {
        MPI_Irecv(in + (size_t)d * bytes, (int)bytes, MPI_CHAR, near[d], d, cart, &requests[d]);
      }
      for (int d = 0; d < 4; ++d) { /* what arrives from above was sent to below */
        MPI_Isend(out + (size_t)d * bytes, (int)bytes, MPI_CHAR, near[d], d ^ 1, cart, &requests[4 + d]);
      }
      MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
      double const mine = MPI_Wtime() - began;
      double most = 0;
      for (size_t i = 0; i < 4 * bytes; ++i) {
        size_t const d = i / bytes, sent = (d ^ 1) * bytes + i % bytes;
        if (in[i] != (char)(near[d] + 7 * round + (int)sent)) {
          fprintf(stderr, "halo: rank %d, round %d: byte %zu is wrong\n", me, round, i);
          MPI_Abort(MPI_COMM_WORLD, 1);
        }
      }
      MPI_Reduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, 0, cart);
      if (me == 0 && round > 0) printf("%.4f%c", most, round == rounds ? '\n' : ' ');
    }
    free(out);
    free(in);
    MPI_Comm_free(&cart);
  }
  MPI_Finalize();
  return 0;
}
