// One-line machine specs: `torus:8x8x3m/ppn=2`, `mesh:4x4t`, `bgp:8x8`, `machine.toml`.
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "allport/machine/machine.h"
#include "presets.h"
#include "text_file.h"

namespace allport {

namespace {

[[noreturn]] void refuse(std::string_view spec, std::string_view part, std::string_view expected) {
  throw Error(ErrorKind::machine,
              fmt::format("machine spec '{}': '{}': expected {}\n"
                          "  grammar: KIND:LENxLENx...[/ppn=RANKS_PER_NODE], PRESET[:LENx...][/ppn=...] or FILE.toml\n"
                          "           KIND is torus (axes wrap) or mesh (axes are open); after a length, m opens its "
                          "axis and t wraps it\n"
                          "           PRESET is one of {}\n"
                          "  example: torus:8x8x3m/ppn=2",
                          spec, part, expected, fmt::join(preset_names(), ", ")));
}

std::optional<std::int32_t> whole(std::string_view text) {
  std::int32_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

/// Parses `8x8x3m` for a preset's axes. Further axes repeat the preset's last one, if all of its axes are alike.
std::vector<Axis> parse_axes(std::string_view spec, std::string_view dims, Machine const& preset, bool wraps) {
  auto const alike = [&] {
    for (int a = 1; a < preset.axes(); ++a) {
      if (preset.axis(a).bandwidth != preset.axis(0).bandwidth || preset.axis(a).latency != preset.axis(0).latency) {
        return false;
      }
    }
    return true;
  }();
  std::vector<Axis> axes;
  for (bool more = true; more;) {
    auto const end = dims.find('x');
    auto const part = dims.substr(0, end);
    more = end != std::string_view::npos;
    dims = more ? dims.substr(end + 1) : std::string_view();
    auto digits = part;
    auto const suffix = !part.empty() && (part.back() == 'm' || part.back() == 't') ? part.back() : ' ';
    if (suffix != ' ') {
      digits.remove_suffix(1);
    }
    auto const length = whole(digits);
    if (!length || *length < 1) {
      refuse(spec, part, "a length from 1 to 2147483647, alone or with m or t after it, between the x");
    }
    auto const a = static_cast<int>(axes.size());
    if (a >= max_axes) {
      refuse(spec, part, fmt::format("at most {} axes", max_axes));
    }
    if (a >= preset.axes() && !alike) {
      refuse(spec, part, fmt::format("at most {} axes, for this preset's axes differ", preset.axes()));
    }
    auto axis = preset.axis(std::min(a, preset.axes() - 1));
    axis.length = *length;
    axis.wraps = suffix == ' ' ? wraps : suffix == 't';
    axes.push_back(axis);
  }
  return axes;
}

Levels parse_options(std::string_view spec, std::string_view options, Levels const& levels) {
  constexpr std::string_view key = "ppn=";
  auto const value = options.substr(0, key.size()) == key ? whole(options.substr(key.size())) : std::nullopt;
  if (!value || *value < 1) {
    refuse(spec, fmt::format("/{}", options), "/ppn=N with N >= 1 ranks per node, once, at the end");
  }
  try {
    return levels.with_ranks(*value);
  } catch (Error const& e) {
    refuse(spec, fmt::format("/{}", options), e.what());
  }
}

/// The machine whose rates torus: and mesh: specs take: the file that ALLPORT_RATES names, else preset laptop.
Machine rates_of_plain_specs() {
  auto const* const path = std::getenv("ALLPORT_RATES");
  if (path == nullptr || *path == '\0') {
    return *machine_presets::find("laptop");
  }
  try {
    return Machine::from_toml(machine_text::read_text(path), path);
  } catch (Error const& e) {
    throw Error(e.kind(),
                fmt::format("ALLPORT_RATES = '{}': expected a machine file, whose rates torus: and mesh: specs "
                            "take; unset it for those of preset laptop\n  {}",
                            path, e.what()));
  }
}

/// Copies rates: axis by axis if the numbers of axes agree, else all from the first axis.
void take_rates(std::vector<Axis>& axes, Machine const& from) {
  auto const fits = static_cast<int>(axes.size()) == from.axes();
  for (std::size_t a = 0; a < axes.size(); ++a) {
    auto const& source = from.axis(fits ? static_cast<int>(a) : 0);
    axes[a].bandwidth = source.bandwidth;
    axes[a].latency = source.latency;
  }
}

}  // namespace

bool Machine::gives_rates(std::string_view spec) {
  auto const kind = spec.substr(0, spec.find(':'));
  if (kind != "torus" && kind != "mesh") return true;
  auto const* const path = std::getenv("ALLPORT_RATES");
  return path != nullptr && *path != '\0';
}

Machine Machine::parse(std::string_view spec) {
  if (spec.ends_with(".toml")) {
    return from_toml(machine_text::read_text(std::string(spec)), spec);
  }
  auto const slash = spec.find('/');
  auto const head = spec.substr(0, slash);
  auto const colon = head.find(':');
  auto const kind = head.substr(0, colon);
  auto const plain = kind == "torus" || kind == "mesh";
  auto const preset = machine_presets::find(plain ? "laptop" : kind);
  if (!preset) {
    refuse(spec, kind, "torus, mesh, a preset or a file that ends in .toml");
  }
  if (plain && colon == std::string_view::npos) {
    refuse(spec, kind, "lengths after it, such as torus:4x4x4");
  }
  std::vector<Axis> axes;
  if (colon == std::string_view::npos) {
    for (int a = 0; a < preset->axes(); ++a) {
      axes.push_back(preset->axis(a));
    }
  } else {
    auto const wraps = plain ? kind == "torus" : preset->axis(0).wraps;
    axes = parse_axes(spec, head.substr(colon + 1), *preset, wraps);
  }
  auto rates = preset->rates();
  if (plain) {
    auto const source = rates_of_plain_specs();
    take_rates(axes, source);
    rates = source.rates();
  }
  auto levels = preset->levels();
  if (slash != std::string_view::npos) {
    levels = parse_options(spec, spec.substr(slash + 1), levels);
  }
  std::int64_t ranks = levels.ranks();
  for (auto const& axis : axes) {
    ranks *= axis.length;  // no overflow: both factors are below 2^31
    if (ranks > std::numeric_limits<Rank>::max()) {
      refuse(spec, head.substr(colon + 1), "fewer than 2^31 ranks (product of the lengths and ppn)");
    }
  }
  return {std::string(spec), std::move(axes), rates, std::move(levels)};
}

Machine Machine::flat(int ranks) {
  ensure(ranks >= 1, "ranks", ranks, "a number >= 1");
  auto const laptop = machine_presets::find("laptop");
  auto line = laptop->axis(0);
  line.length = ranks;
  line.wraps = false;
  return {fmt::format("flat:{}", ranks), {line}, laptop->rates()};
}

}  // namespace allport
