/* Messages that nobody expects: each rank sends to all others behind it, whoever they are. */
#include <allport/allport.h>
#include <stdint.h>
#include <string.h>

#include "expect.h"

#define HOLDS(what) CHECK(what, "%s is wrong", #what)

int main(int argc, char** argv) {
  start(&argc, &argv);
  allport_comm comm = NULL;
  int me = 0, size = 0, there = 0, none[1] = {0};
  int others[64];
  int64_t numbers[20000];
  allport_channel channel = NULL;
  allport_message message;
  EXPECT(allport_comm_create(MPI_COMM_WORLD, NULL, &comm));
  EXPECT(allport_comm_rank(comm, &me, &size));

  REFUSED(ALLPORT_ERR_ARGUMENT, "tree = 'star'", allport_channel_create(comm, "tree=star", &channel));
  REFUSED(ALLPORT_ERR_ARGUMENT, "tree= or segment=", allport_channel_create(comm, "way=flat", &channel));
  EXPECT(allport_channel_create(comm, "segment=3000", &channel));
  const int count = size - me - 1;
  for (int i = 0; i < count; ++i) others[i] = me + 1 + i;
  const int64_t bytes = (int64_t)(sizeof(int64_t)) * (100 + 1000 * me);
  for (int i = 0; i < bytes / 8; ++i) numbers[i] = me * 100000 + i;
  EXPECT(allport_channel_send(channel, count, others, me, numbers, bytes));
  for (int from = me - 1; from >= 0; --from) {
    EXPECT(allport_channel_receive(channel, from, ALLPORT_ANY, numbers, sizeof numbers, &message));
    HOLDS(message.source == from && message.tag == from && message.number == 0);
    HOLDS(message.bytes == (int64_t)(sizeof(int64_t)) * (100 + 1000 * from));
    for (int i = 0; i < message.bytes / 8; ++i) HOLDS(numbers[i] == from * 100000 + i);
  }
  /* To itself: a buffer that is too small leaves the message there. */
  none[0] = me;
  EXPECT(allport_channel_send(channel, 1, none, 7, numbers, 80));
  while (!there) EXPECT(allport_channel_probe(channel, me, 7, &there, &message));
  HOLDS(message.bytes == 80);
  REFUSED(ALLPORT_ERR_ARGUMENT, "80", allport_channel_receive(channel, me, 7, numbers, 8, &message));
  EXPECT(allport_channel_receive(channel, me, 7, numbers, 80, NULL));
  none[0] = size;
  REFUSED(ALLPORT_ERR_ARGUMENT, "dest", allport_channel_send(channel, 1, none, 0, numbers, 8));
  EXPECT(allport_channel_free(&channel));
  HOLDS(channel == NULL);

  /* What nobody receives is an error on every rank. */
  EXPECT(allport_channel_create(comm, NULL, &channel));
  none[0] = 0;
  if (me == size - 1) EXPECT(allport_channel_send(channel, 1, none, 3, numbers, 8));
  REFUSED(ALLPORT_ERR_MISMATCH, "rank 0 has not received", allport_channel_free(&channel));
  /* So is a wait for what nobody sends. */
  EXPECT(allport_channel_create(comm, "tree=kary", &channel));
  if (me == 0) {
    REFUSED(ALLPORT_ERR_MISMATCH, "rank 0 waits", allport_channel_receive(channel, ALLPORT_ANY, 5, numbers, 8, NULL));
    EXPECT(allport_channel_free(&channel));
  } else {
    REFUSED(ALLPORT_ERR_MISMATCH, "rank 0 waits", allport_channel_free(&channel));
  }
  EXPECT(allport_comm_free(&comm));
  return finish();
}
