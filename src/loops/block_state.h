// Blocks that run: who has which, what has arrived of their halos, what is to be sent.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "allport/loops/block_engine.h"
#include "comm/multicasts.h"

namespace allport::loops {

/// Hash of all values that ranks must pass alike.
std::int64_t fingerprint(BlockGrid const& grid, std::int64_t element, std::vector<int> const& owners);

struct BlockEngine::State {
  State(Communicator const& given, BlockGrid cut, Teams& threads, std::int64_t bytes, BlocksOptions wanted);

  using Index = std::array<std::int64_t, BlockGrid::most_axes>;

  /// A face that another block has: of mine, and the block beyond it.
  struct Link {
    Face face;
    std::int64_t beyond = 0;
  };
  struct Object : BlockCells {
    std::vector<Link> links{};
    std::array<std::size_t, 2> arrived{};  ///< faces, of even and of odd iterations
    bool queued = false;                   ///< to run, or running
    bool exposed = false;                  ///< other ranks wait for a face of it
    double taken = 0;                      ///< core-seconds since the last balance()
    double weight = 0;                     ///< core-seconds of an earlier time, where nothing was taken since
  };
  /// What message is about, in a MessageName's first number; then block, face, iteration.
  enum What : std::int64_t { face_of_block, whole_block, piece_of_block, failure };
  struct Outgoing {
    MessageName name{};
    Rank to = 0;
    std::int64_t token = 0;
  };
  using Data = std::vector<std::byte>;

  // Objects (block_state.cpp)
  [[nodiscard]] Object made(std::int64_t block) const;
  void allocate(Object& object) const;
  void link(Object& object) const;
  [[nodiscard]] Object* find(std::int64_t block);
  void spread_over_leaders();
  void place_blocks();
  /// Elements of a face's layers: inside the block, or beyond it, in the halo. visit(first element, how many in a row)
  void rows(BlockCells const& cells, Face face, bool halo, FunctionRef<void(std::int64_t, std::int64_t)> visit) const;
  /// Elements of cells `from` to `to` of a block.
  void box_rows(BlockCells const& cells, Index const& from, Index const& to,
                FunctionRef<void(std::int64_t, std::int64_t)> visit) const;
  [[nodiscard]] std::byte* memory(BlockCells const& cells, std::int64_t iteration) const;
  [[nodiscard]] Data packed(BlockCells const& cells, Face face, std::int64_t iteration) const;
  void unpack(BlockCells const& cells, Face face, std::int64_t iteration, std::byte const* data) const;

  // Iterating (block_iterate.cpp)
  void iterate(std::int64_t count, Body body);
  void work(int leader, Team& team, Body body);
  void run(Object& object, int leader, Team& team, Body body);
  void run_body(Object& object, int leader, Team& team, Body body);
  void give_faces(Object& object);
  void count_face(std::int64_t block, std::int64_t iteration);
  void queue_if_ready(Object& object);
  [[nodiscard]] Object* next(int leader);
  void fail(std::string const& what);

  // Messages (block_messages.cpp)
  void post(MessageName const& name, Rank to, Data data);
  bool communicate(bool caller);
  void arrived(Multicasts::Message&& message);
  [[nodiscard]] bool quiet();
  [[nodiscard]] double now() const;

  // Balancing (block_balance.cpp)
  BalanceReport balance(BalanceOptions const& balancing);
  [[nodiscard]] std::vector<double> loads() const;
  [[nodiscard]] Ties faces() const;
  void move_to(std::vector<int> const& next);
  [[nodiscard]] std::vector<double> speeds() const;
  void expect(std::int64_t coming);
  void receive_all();

  // Other sizes of blocks (block_recut.cpp)
  void recut(std::vector<std::int64_t> const& block);
  [[nodiscard]] Data piece(Object const& of, BlockGrid const& cut, BlockGrid const& other, std::int64_t block) const;
  void take_piece(std::int64_t block, std::int64_t of, std::byte const* data);

  Communicator comm;
  BlockGrid grid;
  Teams& teams;
  std::int64_t element;
  BlocksOptions options;
  Rank me;
  Multicasts multicasts;
  bool const only_caller_calls_mpi;

  std::vector<int> owners;
  std::map<std::int64_t, Object> objects;  ///< by block; changed outside of teams.run() alone
  int leaders = 0;                         ///< that objects were dealt to
  std::int64_t iteration = 0;
  bool stale = true;  ///< faces of this iteration have not been sent
  bool broken = false;

  std::mutex mutex;                         ///< what follows, and Object::arrived, queued
  std::vector<std::vector<Object*>> ready;  ///< by leader
  std::deque<Outgoing> outgoing;
  std::map<std::int64_t, Data> leaving;  ///< by token
  std::int64_t tokens = 0;
  int busy = 0;  ///< bodies that run
  std::int64_t target = 0;
  std::int64_t left = 0;  ///< blocks x iterations that are to run; while blocks move, those that are to come
  std::string error;
  std::vector<BlockRecord> records;

  BlockGrid const* cut_before = nullptr;  ///< while pieces of its blocks arrive

  std::mutex communicating;
  std::atomic<bool> over{false};
  std::atomic<bool> stopped{false};
  std::atomic<bool> hurry{false};  ///< something is to be sent
  std::chrono::steady_clock::time_point begin{};
};

}  // namespace allport::loops
