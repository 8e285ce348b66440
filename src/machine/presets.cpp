// Presets are machine files, so that a user can copy and change one. The comment of every number without a source says
// `typical` (common knowledge about such machines, unconfirmed) or `derived`.
#include "presets.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace allport {

namespace {

constexpr std::string_view bgp =
    R"toml(# IBM Blue Gene/P, Solomonik11, slides 3 to 24. One node is four cores at 850 MHz.
name = "bgp"
overhead = "0.5 us"              # o: in no source; default with 2o + L = 1.5 us, sweep 0.2 to 1 us (typical)
flops = "13.6 GF"                # 4 cores x 850 MHz x 4 flop (derived)
adds = "1.7 Gadd/s"              # gamma of Solomonik11, slide 31: one core, two adds per cycle (derived)
memory_bandwidth = "13.6 GB/s"   # in no source (typical)
memory = "2 GiB"                 # in no source (typical)
# Link: 425 MB/s raw per direction (Solomonik11, slides 22 to 24 end at 2d x 425); packets leave about 375 (derived).
# L = 0.5 us: in no source (typical).
axes = [
  { length = 8, wraps = true, bandwidth = "375 MB/s", latency = "0.5 us" },
  { length = 8, wraps = true, bandwidth = "375 MB/s", latency = "0.5 us" },
  { length = 8, wraps = true, bandwidth = "375 MB/s", latency = "0.5 us" },
]
)toml";

constexpr std::string_view xe6 =
    R"toml(# Cray XE6 of Solomonik11, slide 3: a node is one Gemini router with two hosts; /ppn=1 where one is in use.
name = "xe6"
# What a host sends passes its HyperTransport interface, also to the other host of its router, which is nearer than any
# link's end: 10.4 GB/s (16 bits at 5.2 GT/s, typical) and half a hop (typical).
levels = [ { name = "host", count = 2, bandwidth = "10.4 GB/s", latency = "0.05 us", injection = "10.4 GB/s" } ]
overhead = "0.3175 us"           # host 0.635 us for both ends: from public simulator settings, in no source
injection = "20 GB/s"            # cap of a Gemini: from public simulator settings, in no source
flops = "403.2 GF"               # two hosts of 24 cores x 2.1 GHz x 4 flop (typical)
adds = "8.4 Gadd/s"              # two hosts, one core each, two adds per cycle (derived)
memory_bandwidth = "170.6 GB/s"  # two hosts of 85.3 (typical)
memory = "64 GiB"                # two hosts of 32 (typical)
# X and Z have twice the links of Y and 0.1 us per hop (Pena13, slides 2 and 11); 2.9 and 5.8 GB/s per direction as MPI
# sees them: from public simulator settings, in no source. 4096 routers; Solomonik11, slide 3 has 4096 nodes.
axes = [
  { length = 16, wraps = true, bandwidth = "5.8 GB/s", latency = "0.1 us" },
  { length = 16, wraps = true, bandwidth = "2.9 GB/s", latency = "0.1 us" },
  { length = 16, wraps = true, bandwidth = "5.8 GB/s", latency = "0.1 us" },
]
)toml";

constexpr std::string_view gemini =
    R"toml(# Cray Gemini of Pena13 (Blue Waters): a node here is one router ASIC with its two hosts.
name = "gemini"
# Two hosts share a Gemini ASIC (Pena13, slide 2). What a host sends passes its HyperTransport interface, also to the
# other host of its router, which is nearer than any link's end: 10.4 GB/s (16 bits at 5.2 GT/s, typical) and half a hop
# (typical).
levels = [ { name = "host", count = 2, bandwidth = "10.4 GB/s", latency = "0.05 us", injection = "10.4 GB/s" } ]
overhead = "0.3175 us"           # host 0.635 us for both ends: from public simulator settings, in no source
injection = "20 GB/s"            # cap of a Gemini: from public simulator settings, in no source
flops = "627.2 GF"               # two hosts of 313.6 (typical)
adds = "9.2 Gadd/s"              # two hosts, one core each, two adds per cycle at 2.3 GHz (derived)
memory_bandwidth = "204.8 GB/s"  # two hosts of 102.4 (typical)
memory = "128 GiB"               # two hosts of 64 (typical)
# X and Z have twice the links of Y and 0.1 us per hop (Pena13, slides 2 and 11); 2.9 and 5.8 GB/s per direction as MPI
# sees them: from public simulator settings, in no source. 24 x 24 x 24 ASICs is Blue Waters (Albing 2011).
axes = [
  { length = 24, wraps = true, bandwidth = "5.8 GB/s", latency = "0.1 us" },
  { length = 24, wraps = true, bandwidth = "2.9 GB/s", latency = "0.1 us" },
  { length = 24, wraps = true, bandwidth = "5.8 GB/s", latency = "0.1 us" },
]
)toml";

constexpr std::string_view exascale =
    R"toml(# The exascale machine of Solomonik11, slides 25 to 27: p = 262,144 = 64^3.
name = "exascale"
overhead = "250 ns"              # o: in no source (typical)
flops = "3.81 TF"                # 1e18 flop/s over 262,144 nodes (typical)
adds = "480 Gadd/s"              # an eighth of flops: in no source, sweep it (typical)
memory_bandwidth = "1.5 TB/s"    # in no source; between the outlooks of 0.4 TB/s at 1 TF and 4 TB/s at 10 TF (typical)
memory = "128 GiB"               # 32 PB over all nodes: in no source (typical)
# 16.7 GB/s per link and direction, so that six give the 100 GB/s of the 3D curve in Solomonik11, slide 25 (derived
# from the axis, which ends at 200 GB/s = 12 links). L = 250 ns: in no source (typical).
axes = [
  { length = 64, wraps = true, bandwidth = "16.7 GB/s", latency = "250 ns" },
  { length = 64, wraps = true, bandwidth = "16.7 GB/s", latency = "250 ns" },
  { length = 64, wraps = true, bandwidth = "16.7 GB/s", latency = "250 ns" },
]
)toml";

constexpr std::string_view laptop =
    R"toml(# Processes of one small computer; a node is one core. All numbers are typical: calibrate for your own.
name = "laptop"
overhead = "1 us"
flops = "30 GF"
adds = "1 Gadd/s"
memory_bandwidth = "10 GB/s"
axes = [ { length = 2, wraps = false, bandwidth = "4 GB/s", latency = "0.5 us" } ]
)toml";

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> presets{
    {{"bgp", bgp}, {"xe6", xe6}, {"gemini", gemini}, {"exascale", exascale}, {"laptop", laptop}}};

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (auto const& [name, text] : presets) {
    names.emplace_back(name);
  }
  return names;
}

namespace machine_presets {

std::optional<Machine> find(std::string_view name) {
  // Parsed once: plans create flat machines by the thousand.
  static auto const machines = [] {
    std::vector<Machine> read;
    for (auto const& [known, text] : presets) {
      read.push_back(Machine::from_toml(text, fmt::format("preset {}", known)));
    }
    return read;
  }();
  for (std::size_t i = 0; i < presets.size(); ++i) {
    if (presets[i].first == name) {
      return machines[i];
    }
  }
  return std::nullopt;
}

}  // namespace machine_presets

}  // namespace allport
