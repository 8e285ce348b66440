#include <fmt/format.h>

#include <ostream>
#include <string>

#include "msccl_blocks.h"

namespace allport {
namespace msccl {
namespace {

[[noreturn]] void unsupported(std::string const& why) {
  throw Error(ErrorKind::unsupported, "MSCCL cannot express this schedule: " + why);
}

std::string_view collective(Contract const& contract) {
  switch (contract.what) {
    case Collective::broadcast:
      if (contract.targets) unsupported("its broadcasts are for all ranks");
      return "broadcast";
    case Collective::reduce_scatter:
      return "reducescatter";
    case Collective::barrier:
      unsupported("it has no barriers");
    case Collective::none:
      unsupported("the schedule has no contract, and MSCCL asks which collective it is");
    default:
      return name(contract.what);
  }
}

/// Chunks of the message, or of all ranks' blocks, by which MSCCL divides what it is given to find a chunk's bytes.
std::int64_t chunks_per_loop(Contract const& c, std::int64_t chunk) {
  switch (c.what) {
    case Collective::allgather:
    case Collective::reduce_scatter:
    case Collective::alltoall:
      return c.ranks * c.bytes / chunk;
    default:
      return c.bytes / chunk;
  }
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (char const c : text) {
    bool const plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
    safe += plain ? c : '_';
  }
  return safe;
}

char letter(Buffer buffer) { return buffer == Buffer::input ? 'i' : buffer == Buffer::output ? 'o' : 's'; }

std::string_view type(Act act) {
  switch (act) {
    case Act::send:
      return "s";
    case Act::receive:
      return "r";
    case Act::copy:
      return "cpy";
    case Act::reduce:
      return "re";
    case Act::nop:
      break;
  }
  return "nop";
}

class Writer {
 public:
  Writer(Schedule const& schedule, MscclLimits const& limits, std::ostream& out)
      : schedule_(schedule), contract_(schedule.contract()), limits_(limits), out_(out) {}

  void run() {
    auto const coll = collective(contract_);
    if (contract_.blocks) unsupported("its blocks differ in length, and MSCCL gives all ranks the same count");
    if (contract_.bytes == 0) unsupported("it moves no bytes, so there are no chunks");
    plan_ = plan(schedule_, limits_);
    check_chunk();
    // All that can be refused is refused before a line is written.
    std::string text;
    Program program;
    for (Rank r = 0; r < schedule_.ranks(); ++r) {
      schedule_.program(r, program);
      text += gpu(r, program);
    }
    // A broadcast's message lies in the root's output from the start, as in an in-place call.
    bool const in_place = contract_.what == Collective::broadcast;
    out_ << fmt::format(
        "<algo name=\"allport_{}_{}_root{}\" proto=\"Simple\" nchannels=\"{}\" nchunksperloop=\"{}\" ngpus=\"{}\" "
        "coll=\"{}\" inplace=\"{:d}\" outofplace=\"{:d}\" minBytes=\"0\" maxBytes=\"0\">\n{}</algo>\n",
        name(contract_.what), escaped(schedule_.algorithm()), contract_.root, plan_.channels,
        chunks_per_loop(contract_, plan_.chunk), schedule_.ranks(), coll, in_place, !in_place, text);
  }

 private:
  void check_chunk() const {
    auto const chunk = plan_.chunk;
    if (chunk % contract_.element != 0) {
      unsupported(fmt::format("offsets and lengths have {} bytes in common, which cuts elements of {}", chunk,
                              contract_.element));
    }
  }

  [[nodiscard]] std::int64_t chunks(std::int64_t bytes, Rank r, std::string_view buffer) const {
    auto const n = (bytes + plan_.chunk - 1) / plan_.chunk;
    ensure(n <= limits_.chunks, "chunks of one buffer", n,
           fmt::format("at most {} in MSCCL (the {} of rank {}, by {} bytes)", limits_.chunks, buffer, r, plan_.chunk),
           "use a size and segments with a larger common divisor", ErrorKind::unsupported);
    return n;
  }

  std::string gpu(Rank r, Program const& program) const {
    auto const count = static_cast<std::int64_t>(program.ops.size());
    ensure(count <= limits_.blocks, "threadblocks", count,
           fmt::format("at most {} on a GPU in MSCCL (rank {}, one for each operation)", limits_.blocks, r),
           "take an algorithm with fewer streams", ErrorKind::unsupported);
    auto const out_chunks = chunks(contract_.output_bytes(r), r, "output");
    auto const in_chunks =
        contract_.what == Collective::broadcast ? out_chunks : chunks(contract_.input_bytes(r), r, "input");
    auto text = fmt::format("  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n", r, in_chunks,
                            out_chunks, chunks(program.scratch, r, "scratch"));
    auto const all = blocks(program, r, plan_.chunk, limits_);
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto const& op = program.ops[i];
      bool const sends = op.kind == OpKind::send;
      bool const receives = op.kind == OpKind::receive;
      auto const channel = sends      ? plan_.channel_of.at({r, op.peer, op.channel})
                           : receives ? plan_.channel_of.at({op.peer, r, op.channel})
                                      : 0;
      text += fmt::format("    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"{}\">\n", i, sends ? op.peer : -1,
                          receives ? op.peer : -1, channel);
      for (std::size_t s = 0; s < all[i].steps.size(); ++s) text += step(s, all[i].steps[s]);
      text += "    </tb>\n";
    }
    return text + "  </gpu>\n";
  }

  static std::string step(std::size_t index, Step const& s) {
    auto const place = [](Place const& p) {
      return p.buffer == Buffer::none ? std::pair('i', std::int64_t{-1}) : std::pair(letter(p.buffer), p.offset);
    };
    auto const [source, from] = place(s.from);
    auto const [target, into] = place(s.into);
    return fmt::format(
        "      <step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" cnt=\"{}\" "
        "depid=\"{}\" deps=\"{}\" hasdep=\"{:d}\"/>\n",
        index, type(s.act), source, from, target, into, s.count, s.block, s.step, s.awaited);
  }

  Schedule const& schedule_;
  Contract const& contract_;
  MscclLimits const& limits_;
  std::ostream& out_;
  Plan plan_;
};

}  // namespace
}  // namespace msccl

void export_msccl(Schedule const& schedule, std::ostream& out, MscclLimits const& limits) {
  schedule.contract().check();
  for (auto const& [what, value] : {std::pair("channels", limits.channels),
                                    {"peers", limits.peers},
                                    {"blocks", limits.blocks},
                                    {"steps", limits.steps},
                                    {"count", limits.count},
                                    {"chunks", limits.chunks}}) {
    ensure(value >= 1, what, value, "at least 1");
  }
  ensure(limits.channels <= 1024, "channels", limits.channels, "at most 1024");
  msccl::Writer(schedule, limits, out).run();
}

}  // namespace allport
