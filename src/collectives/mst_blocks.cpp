// Scatter and gather: a rank's box of blocks travels as one message, its blocks in the order of Piece. If the blocks of
// a part are not contiguous, they are packed or unpacked in scratch.
#include <map>
#include <memory>
#include <utility>

#include "mst_boxes.h"
#include "streams.h"

namespace allport {
namespace {

/// Offsets of the blocks of a box, stored one after the other.
class Layout {
 public:
  Layout(MstShape const& shape, Contract const& contract, MstBox const& box)
      : shape_(shape), box_(box), each_(contract.bytes) {
    auto const blocks = shape.size(box);
    if (!contract.blocks) {
      end_ = blocks * each_;
      return;
    }
    begin_.reserve(static_cast<std::size_t>(blocks) + 1);
    begin_.push_back(0);
    auto odometer = box.root;
    for (std::int64_t k = 0; k < blocks; ++k) {
      auto rest = k;
      for (int a = 0; a < shape.axes(); ++a) {
        auto const& span = box.span[at(a)];
        odometer[at(a)] = (span.lo + static_cast<std::int32_t>(rest % span.length)) % shape.length(a);
        rest /= span.length;
      }
      auto const rank = shape.rank_at(odometer);
      auto const scatters = contract.what == Collective::scatter;
      begin_.push_back(begin_.back() +
                       contract.block(scatters ? contract.root : rank, scatters ? rank : contract.root));
    }
    end_ = begin_.back();
  }

  [[nodiscard]] std::int64_t begin(std::int64_t block) const {
    return begin_.empty() ? block * each_ : begin_[static_cast<std::size_t>(block)];
  }
  [[nodiscard]] std::int64_t bytes() const { return end_; }
  [[nodiscard]] MstBox const& box() const { return box_; }
  [[nodiscard]] MstShape const& shape() const { return shape_; }

 private:
  MstShape const& shape_;
  MstBox box_;
  std::int64_t each_;
  std::int64_t end_ = 0;
  std::vector<std::int64_t> begin_;
};

/// Blocks that are contiguous both in a layout and in the layout of a part of it.
struct Run {
  MstBox box;
  std::int64_t whole = 0;  ///< bytes from the beginning of the large layout
  std::int64_t part = 0;   ///< bytes from the beginning of the part's layout
  std::int64_t bytes = 0;
};

/// One axis of the walk over a part: the part's positions as seen from the large box.
struct Walk {
  std::int32_t offset = 0;  // of the part's first position
  std::int32_t length = 1;  // number of positions
  std::int32_t around = 1;  // length of the large box
};

std::vector<Run> runs(Layout const& whole, Layout const& part) {
  auto const& shape = whole.shape();
  std::array<Walk, max_box_axes> walk{};
  for (int a = 0; a < shape.axes(); ++a) {
    auto const& large = whole.box().span[at(a)];
    auto const& small = part.box().span[at(a)];
    auto const n = shape.length(a);
    walk[at(a)] = {(small.lo - large.lo + n) % n, small.length, large.length};
  }
  // The part covers the axes below `cut` in full, in the same order; along `cut` it has one run, or two around the
  // wrap.
  int cut = 0;
  std::int64_t below = 1;
  while (cut + 1 < shape.axes() && walk[at(cut)].offset == 0 && walk[at(cut)].length == walk[at(cut)].around) {
    below *= walk[at(cut++)].length;
  }
  auto const lines = shape.size(part.box()) / (below * walk[at(cut)].length);
  std::vector<Run> found;
  for (std::int64_t line = 0; line < lines; ++line) {
    auto box = part.box();
    std::int64_t first = 0;
    auto rest = line;
    auto stride = below * walk[at(cut)].around;
    for (int a = cut + 1; a < shape.axes(); ++a) {
      auto const step = static_cast<std::int32_t>(rest % walk[at(a)].length);
      rest /= walk[at(a)].length;
      box.span[at(a)] = {(box.span[at(a)].lo + step) % shape.length(a), 1};
      first += (walk[at(a)].offset + step) % shape.length(a) * stride;
      stride *= walk[at(a)].around;
    }
    auto const lo = box.span[at(cut)].lo;
    for (std::int32_t done = 0; done < walk[at(cut)].length;) {
      auto const here = (walk[at(cut)].offset + done) % shape.length(cut);
      auto const take = std::min(walk[at(cut)].length - done, walk[at(cut)].around - here);
      box.span[at(cut)] = {(lo + done) % shape.length(cut), take};
      auto const in_whole = first + here * below;
      auto const in_part = (line * walk[at(cut)].length + done) * below;
      auto const bytes = part.begin(in_part + take * below) - part.begin(in_part);
      if (bytes > 0) found.push_back({box, whole.begin(in_whole), part.begin(in_part), bytes});
      done += take;
    }
  }
  return found;
}

class Blocks {
 public:
  Blocks(Machine const& machine, MstForm form, Contract const& contract, Cut cut)
      : shape_(machine, form), contract_(contract), cut_(cut) {}

  void scatter(Rank rank, Program& into) const {
    auto const place = mst_place(shape_, contract_.root, rank);
    auto const held = layout(place);
    if (held.bytes() == 0) return;
    Slot home{Buffer::input, 0, 0};
    auto arrived = at_once;
    if (place.parent >= 0) {
      home.buffer = place.parts.empty() ? Buffer::output : Buffer::scratch;
      if (!place.parts.empty()) into.scratch = held.bytes();
      arrived = add(into, OpKind::receive, held.box(), held.bytes(), {}, home);
      into.ops.back().peer = place.parent;
      if (place.parts.empty()) return;
    }
    std::map<std::pair<int, int>, std::int32_t> before;  // the last send in each direction
    for (auto const& part : place.parts) {
      auto const wanted = Layout(shape_, contract_, part.box);
      if (wanted.bytes() == 0) continue;
      auto const [from, ready] = gathered(held, wanted, home, arrived, into);
      auto const send = add(into, OpKind::send, part.box, wanted.bytes(), from, {});
      into.ops.back().peer = shape_.root_of(part.box);
      into.ops.back().port = shape_.port_to(part);
      wait(into.ops.back(), ready);
      auto const [previous, first] = before.try_emplace({part.axis, part.sign}, send);
      if (!first) wait(into.ops.back(), previous->second);
      previous->second = send;
    }
    own(place, held, [&](Run const& run) {
      add(into, OpKind::copy, run.box, run.bytes, moved(home, run.whole), {Buffer::output, 0, 0});
      wait(into.ops.back(), arrived);
    });
  }

  void gather(Rank rank, Program& into) const {
    auto const place = mst_place(shape_, contract_.root, rank);
    auto const held = layout(place);
    if (held.bytes() == 0) return;
    bool const root = place.parent < 0;
    bool const leaf = place.parts.empty();
    Slot const home{root ? Buffer::output : leaf ? Buffer::input : Buffer::scratch, 0, 0};
    if (home.buffer == Buffer::scratch) into.scratch = held.bytes();
    auto last = at_once;  // the last copy; copies run one after the other
    if (root || !leaf) {
      own(place, held, [&](Run const& run) {
        last = add(into, OpKind::copy, run.box, run.bytes, {Buffer::input, 0, 0}, moved(home, run.whole));
      });
    }
    // The parts of the last step are complete first.
    for (auto part = place.parts.rbegin(); part != place.parts.rend(); ++part) {
      auto const given = Layout(shape_, contract_, part->box);
      if (given.bytes() > 0) last = receive(*part, held, given, home, last, into);
    }
    if (root) return;
    auto const send = add(into, OpKind::send, held.box(), held.bytes(), home, {});
    into.ops[at(send)].peer = place.parent;
    into.ops[at(send)].port = place.to_parent;
    wait(into.ops[at(send)], last);
  }

 private:
  static Slot moved(Slot slot, std::int64_t bytes) {
    slot.offset += bytes;
    return slot;
  }
  static void wait(Op& op, std::int32_t on) {
    if (on != at_once) op.after.add(on, Dependence::whole);
  }

  /// The layout of a rank's own data: its box; on the root all blocks in the order of ranks.
  [[nodiscard]] Layout layout(MstPlace const& place) const {
    auto box = place.box;
    if (place.parent < 0) {
      for (int a = 0; a < shape_.axes(); ++a) box.span[at(a)] = {0, shape_.length(a)};
    }
    return {shape_, contract_, box};
  }

  std::int32_t add(Program& into, OpKind kind, MstBox const& box, std::int64_t bytes, Slot from, Slot to) const {
    RankBox const root{contract_.root, contract_.root};
    auto const others = shape_.corners(box);
    bool const scatters = contract_.what == Collective::scatter;
    Piece const piece{scatters ? root : others, scatters ? others : root, {0, contract_.bytes}, false};
    auto op = stream(contract_, cut_, piece, 0, bytes).op(kind);
    op.from = from;
    op.into = to;
    into.ops.push_back(op);
    return static_cast<std::int32_t>(into.ops.size()) - 1;
  }

  /// Calls visit(run) for the rank's own block.
  template <class Visit>
  void own(MstPlace const& place, Layout const& held, Visit&& visit) const {
    auto box = place.box;
    for (int a = 0; a < shape_.axes(); ++a) box.span[at(a)] = {box.root[at(a)], 1};
    for (auto const& run : runs(held, Layout(shape_, contract_, box))) visit(run);
  }

  /// A slot in which the part's blocks are contiguous, and the operation after which they are.
  std::pair<Slot, std::int32_t> gathered(Layout const& held, Layout const& wanted, Slot home, std::int32_t arrived,
                                         Program& into) const {
    auto const pieces = runs(held, wanted);
    if (pieces.size() == 1) return {moved(home, pieces.front().whole), arrived};
    Slot const packed{Buffer::scratch, 0, into.scratch};
    into.scratch += wanted.bytes();
    auto last = arrived;
    for (auto const& run : pieces) {
      auto const copy = add(into, OpKind::copy, run.box, run.bytes, moved(home, run.whole), moved(packed, run.part));
      wait(into.ops.back(), last);
      last = copy;
    }
    return {packed, last};
  }

  /// Receives a part's blocks and copies them into place, after `last`. Returns the last of these operations.
  std::int32_t receive(MstPart const& part, Layout const& held, Layout const& given, Slot home, std::int32_t last,
                       Program& into) const {
    auto const pieces = runs(held, given);
    bool const direct = pieces.size() == 1 && home.buffer == Buffer::output;
    Slot const packed{Buffer::scratch, 0, into.scratch};
    if (!direct) into.scratch += given.bytes();
    auto const arrived =
        add(into, OpKind::receive, part.box, given.bytes(), {}, direct ? moved(home, pieces.front().whole) : packed);
    into.ops.back().peer = shape_.root_of(part.box);
    if (direct) return last;
    auto ready = arrived;
    for (auto const& run : pieces) {
      auto const copy = add(into, OpKind::copy, run.box, run.bytes, moved(packed, run.part), moved(home, run.whole));
      wait(into.ops.back(), ready);
      if (ready == arrived) wait(into.ops.back(), last);
      ready = copy;
    }
    return ready;
  }

  MstShape shape_;
  Contract contract_;
  Cut cut_;
};

}  // namespace

Schedule mst_scatter(Machine const& machine, MstForm form, std::string name, Contract const& contract, Cut cut) {
  auto const state = std::make_shared<Blocks const>(machine, form, contract, cut);
  return {std::move(name), contract, cut, 1, [state](Rank rank, Program& into) { state->scatter(rank, into); }};
}

Schedule mst_gather(Machine const& machine, MstForm form, std::string name, Contract const& contract, Cut cut) {
  auto const state = std::make_shared<Blocks const>(machine, form, contract, cut);
  return {std::move(name), contract, cut, 1, [state](Rank rank, Program& into) { state->gather(rank, into); }};
}

}  // namespace allport
