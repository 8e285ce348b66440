#include "contexts.h"

#include <bit>
#include <cstdint>
#include <mutex>
#include <random>
#include <vector>

namespace allport::dropin {
namespace {

constexpr int word_bits = 64;  ///< of a word

struct FreeContexts {
  std::mutex mutex;
  std::vector<std::uint64_t> free;  ///< a bit for each context
  std::mt19937_64 random{std::random_device{}()};
  bool threads = false;  ///< several on some rank may make communicators at a time
};

FreeContexts& free_contexts() {
  static auto* const the_one = new FreeContexts;  // never destroyed: as state()
  return *the_one;
}

std::uint64_t& word_of(int context) { return free_contexts().free[static_cast<std::size_t>(context / word_bits)]; }
std::uint64_t bit_of(int context) { return std::uint64_t{1} << context % word_bits; }

/// What is free here, and a random number of rank 0's for all.
std::vector<std::uint64_t> free_here(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  auto& t = free_contexts();
  std::scoped_lock const lock(t.mutex);
  auto words = t.free;
  words.push_back(rank == 0 ? t.random() : ~std::uint64_t{0});  // joined by bitwise and
  return words;
}

bool take_context(int context) {
  std::scoped_lock const lock(free_contexts().mutex);
  if ((word_of(context) & bit_of(context)) == 0) return false;
  word_of(context) &= ~bit_of(context);
  return true;
}

void give_back_context(int context) {
  std::scoped_lock const lock(free_contexts().mutex);
  word_of(context) |= bit_of(context);
}

/// The n-th bit that is set; negative: fewer are.
int nth_set(std::vector<std::uint64_t> const& words, int n) {
  for (std::size_t w = 0; w + 1 < words.size(); ++w) {
    auto const here = std::popcount(words[w]);
    if (n >= here) {
      n -= here;
      continue;
    }
    auto left = words[w];
    for (; n > 0; --n) left &= left - 1;
    return static_cast<int>(w) * word_bits + std::countr_zero(left);
  }
  return -1;
}

}  // namespace

Context::~Context() {
  if (!spoiled_) give_back_context(number_);
}

void begin_contexts(int count) {
  auto& t = free_contexts();
  t.free.assign(static_cast<std::size_t>((count + word_bits - 1) / word_bits), 0);
  for (int c = 0; c < count; ++c) word_of(c) |= bit_of(c);
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  int several = level == MPI_THREAD_MULTIPLE ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &several, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  t.threads = several != 0;
}

std::shared_ptr<Context> agreed_context(MPI_Comm comm) {
  constexpr int tries = 16;
  // What is free on all ranks may be taken by another thread of some of them before it is by this one: they say so, and
  // begin again, at another number.
  for (int n = 0; n < tries; ++n) {
    auto words = free_here(comm);
    if (PMPI_Allreduce(MPI_IN_PLACE, words.data(), static_cast<int>(words.size()), MPI_UINT64_T, MPI_BAND, comm) !=
        MPI_SUCCESS) {
      return nullptr;
    }
    int free = 0;
    for (std::size_t w = 0; w + 1 < words.size(); ++w) free += std::popcount(words[w]);
    if (free == 0) return nullptr;
    auto const context = nth_set(words, n == 0 ? 0 : static_cast<int>(words.back() % static_cast<unsigned>(free)));
    int const mine = take_context(context) ? 1 : 0;
    int all = mine;
    if (free_contexts().threads) PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm);
    if (all != 0) return std::make_shared<Context>(context);
    if (mine != 0) give_back_context(context);
  }
  return nullptr;
}

}  // namespace allport::dropin
