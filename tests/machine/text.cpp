// Specs, machine files and presets: their meaning and error messages.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "allport/machine/machine.h"

using namespace allport;

namespace {

std::string error_of(auto&& action) {
  try {
    action();
  } catch (Error const& e) {
    return e.what();
  }
  return "";
}

bool has(std::string const& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Spec, MeansWhatItsGrammarSays) {
  auto const m = Machine::parse("torus:8x4x3m/ppn=2");
  EXPECT_EQ(m.axes(), 3);
  EXPECT_TRUE(m.axis(0).wraps && m.axis(1).wraps && !m.axis(2).wraps);
  EXPECT_EQ(m.nodes(), 96);
  EXPECT_EQ(m.ranks(), 192);
  EXPECT_EQ(m.rates(), Machine::parse("laptop").rates());
  auto const open = Machine::parse("mesh:8x4t");
  EXPECT_TRUE(!open.axis(0).wraps && open.axis(1).wraps);
  auto const ring = Machine::parse("bgp:8");
  EXPECT_EQ(ring.axes(), 1);
  EXPECT_EQ(ring.rates(), Machine::parse("bgp").rates());
  EXPECT_EQ(Machine::parse("exascale:2x2x2x2x2x2").axes(), 6);
  EXPECT_EQ(Machine::parse("gemini:4x4/ppn=1").ranks(), 16);
  EXPECT_EQ(Machine::parse("gemini:4x4").ranks(), 32);
  EXPECT_EQ(Machine::parse("torus:2147483647").ranks(), 2147483647);
}

/// ALLPORT_RATES for as long as it lives.
class RatesFrom {
 public:
  explicit RatesFrom(std::string const& path) { setenv("ALLPORT_RATES", path.c_str(), 1); }
  ~RatesFrom() { unsetenv("ALLPORT_RATES"); }
};

TEST(Spec, TakesItsRatesFromTheFileThatTheEnvironmentNames) {
  auto const path = testing::TempDir() + "rates.toml";
  std::ofstream(path) << "ranks_per_node = 3\noverhead = \"7 us\"\nflops = \"2 GF\"\naxes = [\n"
                         "  { length = 9, bandwidth = \"5 MB/s\", latency = \"60 us\" },\n"
                         "  { length = 9, wraps = false, bandwidth = \"2 MB/s\", latency = \"50 us\" },\n]\n";
  {
    RatesFrom const named(path);
    auto const two = Machine::parse("torus:4x3/ppn=2");
    EXPECT_EQ(two.axis(0), (Axis{4, true, BytesPerSecond(5e6), Seconds(60e-6)}));
    EXPECT_EQ(two.axis(1), (Axis{3, true, BytesPerSecond(2e6), Seconds(50e-6)}));
    EXPECT_EQ(two.ranks_per_node(), 2);
    EXPECT_EQ(two.rates().overhead, Seconds(7e-6));
    EXPECT_EQ(two.rates().flops, FlopsPerSecond(2e9));
    auto const three = Machine::parse("mesh:2x2x2t");
    EXPECT_EQ(three.axis(1), (Axis{2, false, BytesPerSecond(5e6), Seconds(60e-6)}));
    EXPECT_EQ(three.axis(2), (Axis{2, true, BytesPerSecond(5e6), Seconds(60e-6)}));
    EXPECT_EQ(Machine::parse("bgp:4x4").axis(0).bandwidth, BytesPerSecond(375e6));
  }
  EXPECT_EQ(Machine::parse("torus:4").rates(), Machine::parse("laptop").rates());
  std::ofstream(path) << "axes = 3\n";
  for (auto const& bad : {path, std::string("/no/such/rates.toml")}) {
    RatesFrom const named(bad);
    auto const text = error_of([] { (void)Machine::parse("torus:4"); });
    EXPECT_TRUE(has(text, "ALLPORT_RATES = '" + bad + "'") && has(text, "unset it")) << text;
    EXPECT_EQ(error_of([] { (void)Machine::parse("bgp"); }), "");
  }
  RatesFrom const empty("");
  EXPECT_EQ(Machine::parse("torus:4").axis(0).bandwidth, Machine::parse("laptop").axis(0).bandwidth);
}

TEST(Spec, ErrorsShowTheSpecThePartTheGrammarAndAnExample) {
  for (auto const& [spec, part] :
       std::vector<std::pair<std::string, std::string>>{{"torus:4x0x2", "'0'"},
                                                        {"torus:4xx2", "''"},
                                                        {"torus:", "''"},
                                                        {"torus:4x", "''"},
                                                        {"torus:-4", "'-4'"},
                                                        {"torus:+4", "'+4'"},
                                                        {"torus:4 x4", "'4 '"},
                                                        {"torus:4q", "'4q'"},
                                                        {"torus:4mm", "'4mm'"},
                                                        {"torus:m", "'m'"},
                                                        {"torus:4.5", "'4.5'"},
                                                        {"torus:99999999999", "'99999999999'"},
                                                        {"torus:65536x32768", "'65536x32768'"},
                                                        {"torus:2147483647/ppn=2", "2^31"},
                                                        {"torus:2147483647x2147483647x2147483647x2147483647", "2^31"},
                                                        {"torus:1x1x1x1x1x1x1x1x1", "8 axes"},
                                                        {"gemini:2x2x2x2", "3 axes"},
                                                        {"torus", "'torus'"},
                                                        {"tors:4", "'tors'"},
                                                        {"", "''"},
                                                        {"torus:4/", "'/'"},
                                                        {"torus:4/ppn=", "'/ppn='"},
                                                        {"torus:4/ppn=0", "'/ppn=0'"},
                                                        {"torus:4/ppn=2/ppn=2", "'/ppn=2/ppn=2'"},
                                                        {"torus:4/cores=2", "'/cores=2'"}}) {
    auto const text = error_of([&] { (void)Machine::parse(spec); });
    EXPECT_TRUE(has(text, "machine spec '" + spec + "'")) << spec << ": " << text;
    EXPECT_TRUE(has(text, part)) << spec << ": " << text;
    EXPECT_TRUE(has(text, "grammar:") && has(text, "example: torus:8x8x3m/ppn=2")) << spec << ": " << text;
  }
  auto const missing = error_of([] { (void)Machine::parse("no/such/file.toml"); });
  EXPECT_TRUE(has(missing, "no/such/file.toml") && has(missing, "readable")) << missing;
}

constexpr auto file = R"toml(
name = "two racks"            # a comment
ranks_per_node = 4
ports = 3
injection = "1 GiB/s"
overhead = 2e-7
tau = 0.25
tau_short = 1.25
flops = "13.6 GF"
adds = 1_700_000_000
memory_bandwidth = "1.5e1 GB/s"
memory = "2 GiB"
axes = [
  { length = 2, wraps = true, bandwidth = "40 Mbit/s", latency = "0.3 us" },
  { length = 3, wraps = false, bandwidth = 425e6, latency = "250 ns" },
]
[[link]]
from = [0, 1]
axis = "x"
direction = "+"
dead = true
[[link]]
from = [1, 0]
to = [1, 1]
bandwidth = "1 MB/s"
both_directions = false
[[link]]
from = [0, 2]
axis = 1
direction = "-"
latency = "1 ms"
)toml";

TEST(File, MeansWhatItSays) {
  auto const m = Machine::from_toml(file);
  EXPECT_EQ(m.name(), "two racks");
  EXPECT_EQ(m.ranks(), 24);
  EXPECT_EQ(m.axis(0), (Axis{2, true, BytesPerSecond(5e6), Seconds(3e-7)}));
  EXPECT_EQ(m.axis(1), (Axis{3, false, BytesPerSecond(425e6), Seconds(2.5e-7)}));
  EXPECT_EQ(m.rates(), (NodeRates{Seconds(2e-7), 0.25, 3, BytesPerSecond(1024.0 * 1024 * 1024), FlopsPerSecond(13.6e9),
                                  FlopsPerSecond(1.7e9), BytesPerSecond(15e9), Bytes(std::int64_t{2} << 30), 1.25}));
  EXPECT_EQ(m.rates().start_tau(), 1.25);
  auto const at = [&](int x, int y, int axis, int sign) { return m.link(m.node({x, y}), port(axis, sign)); };
  EXPECT_TRUE(m.dead(at(0, 1, 0, 1)) && m.dead(at(1, 1, 0, -1)));
  EXPECT_FALSE(m.dead(at(1, 1, 0, 1)) || m.dead(at(0, 1, 0, -1))) << "the second cable of the pair lives";
  EXPECT_EQ(m.bandwidth(at(1, 0, 1, 1)), BytesPerSecond(1e6));
  EXPECT_EQ(m.bandwidth(at(1, 1, 1, -1)), BytesPerSecond(425e6));
  EXPECT_EQ(m.latency(at(0, 2, 1, -1)), Seconds(1e-3));
  EXPECT_EQ(m.latency(at(0, 1, 1, 1)), Seconds(1e-3));
  EXPECT_EQ(m.exceptions().size(), 5U);
  EXPECT_EQ(Machine::from_toml(m.to_toml()), m) << m.to_toml();
}

TEST(File, ErrorsNameTheLineAndTheNearestKey) {
  auto const head = std::string("name = 'm'\n");
  auto const axes = std::string(
      "axes = [ { length = 2, bandwidth = 1, latency = 0 }, { length = 3, bandwidth = 1, latency "
      "= 0 } ]\n");
  auto const link = head + axes + "[[link]]\n";
  for (auto const& [text, parts] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {head + "overhed = 1\n" + axes, {"f.toml:2", "'overhed'", "'overhead'"}},
           {head + "axes = [\n{ length = 2, bandwith = 1, latency = 0 } ]", {"f.toml:3", "'bandwith'", "'bandwidth'"}},
           {head + "axes = [ { length = 0, bandwidth = 1, latency = 0 } ]", {"f.toml:2", "length"}},
           {head + "axes = [ { length = 2.0, bandwidth = 1, latency = 0 } ]", {"length", "whole number"}},
           {head + "axes = [ { length = 2, latency = 0 } ]", {"f.toml:2", "no 'bandwidth'"}},
           {head + "axes = [ { length = 2, bandwidth = '1 Mb/s', latency = 0 } ]", {"bandwidth", "'40 Mbit/s'"}},
           {head + "axes = [ { length = 2, bandwidth = '-1 MB/s', latency = 0 } ]", {"bandwidth", "not negative"}},
           {head + "axes = [ { length = 2, bandwidth = inf, latency = 0 } ]", {"bandwidth"}},
           {head + "axes = [ { length = 2, bandwidth = 0, latency = 0 } ]", {"bandwidth", "more than 0"}},
           {head + "axes = [ { length = 2, bandwidth = 1, latency = '1 us us' } ]", {"latency", "'0.5 us'"}},
           {head + "axes = [ { length = 2, wraps = 1, bandwidth = 1, latency = 0 } ]", {"wraps", "true or false"}},
           {head, {"f.toml", "axes"}},
           {head + "axes = 4", {"f.toml:2", "list of tables"}},
           {head + "axes = [ 4, 4 ]", {"f.toml:2", "expected a table"}},
           {head + "tau = 2\n" + axes, {"f.toml:2", "tau", "0..1"}},
           {head + "tau_short = -1\n" + axes, {"f.toml:2", "tau_short", "from 0"}},
           {head + "memory = '2 Gb'\n" + axes, {"f.toml:2", "memory", "'2 GiB'"}},
           {head + "ports = -1\n" + axes, {"f.toml:2", "ports"}},
           {head + "x = [", {"f.toml:2", "not TOML"}},
           {head +
                "axes = [ { length = 65536, bandwidth = 1, latency = 0 }, { length = 65536, bandwidth = 1, latency = 0 "
                "} ]",
            {"f.toml", "2^31"}},
           {link + "from = [0]\nto = [1, 0]\ndead = true", {"from", "2 coordinates"}},
           {link + "from = [0, 3]\nto = [1, 0]\ndead = true", {"f.toml:4", "3", "outside"}},
           {link + "from = [0, 0]\nto = [1, 0]\ndead = true", {"f.toml:5", "two links"}},
           {link + "from = [0, 0]\nto = [1, 1]\ndead = true", {"f.toml:5", "no link"}},
           {link + "from = [0, 0]\naxis = 'z'\ndirection = '+'\ndead = true", {"f.toml:5", "axis"}},
           {link + "from = [0, 0]\naxis = 'x'\ndirection = 'up'\ndead = true", {"f.toml:6", "direction"}},
           {link + "from = [0, 0]\naxis = 'x'\ndead = true", {"'axis' and 'direction'"}},
           {link + "from = [0, 0]\naxis = 'x'\ndirection = '+'", {"differs in nothing"}},
           {link + "from = [0, 0]\naxis = 'x'\ndirection = '+'\ndaed = true", {"f.toml:7", "'daed'", "'dead'"}},
           {link + "from = [0, 0]\nto = [0, 1]\ndead = true\n[[link]]\nfrom = [0, 1]\nto = [0, 0]\ndead = true",
            {"f.toml:7", "twice", "(0,1)-y -> (0,0)"}}}) {
    auto const message = error_of([&, &t = text] { (void)Machine::from_toml(t, "f.toml"); });
    for (auto const& part : parts) {
      EXPECT_TRUE(has(message, part)) << "expected " << part << " in: " << message << "\nfor\n" << text;
    }
  }
}

TEST(File, RandomMachinesRoundTrip) {
  std::mt19937 random(7);
  auto const rate = [&] { return std::exp(std::uniform_real_distribution(-20.0, 30.0)(random)); };
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Axis> axes(1 + random() % max_axes);
    for (auto& a : axes) {
      a = {static_cast<std::int32_t>(1 + random() % 4), random() % 2 == 0, BytesPerSecond(rate()), Seconds(rate())};
    }
    NodeRates const rates{Seconds(rate()),
                          0.1 * static_cast<double>(random() % 11),
                          static_cast<int>(random() % 3),
                          BytesPerSecond(rate()),
                          FlopsPerSecond(rate()),
                          FlopsPerSecond(rate()),
                          BytesPerSecond(rate()),
                          Bytes(static_cast<std::int64_t>(random()) << (random() % 31))};
    Machine const plain("a \"quoted\\ name\t", axes, rates, static_cast<int>(1 + random() % 3));
    std::vector<LinkException> exceptions;
    for (LinkId l = 0; l < plain.link_ids(); l += 1 + static_cast<LinkId>(random() % 50)) {
      if (plain.neighbour(plain.link_source(l), plain.link_port(l))) {
        exceptions.push_back({plain.link_source(l), plain.link_port(l), true, BytesPerSecond(random() % 2 * rate()),
                              Seconds(random() % 2 == 0 ? -1.0 : rate())});
      }
    }
    Machine const m(plain.name(), axes, rates, plain.ranks_per_node(), exceptions);
    ASSERT_EQ(Machine::from_toml(m.to_toml()), m) << m.to_toml();
  }
}

TEST(File, IsReadFromAPath) {
  auto const path = testing::TempDir() + "allport-machine-test.toml";
  std::ofstream(path) << file;
  EXPECT_EQ(Machine::parse(path), Machine::from_toml(file));
  std::remove(path.c_str());
}

TEST(File, ThePageOfMachineFilesTellsTheTruth) {
  std::ifstream in(ALLPORT_SOURCE_DIR "/docs/reference/machine-file.md");
  std::string const page{std::istreambuf_iterator<char>(in), {}};
  auto const begin = page.find("```toml\n") + 8;
  auto const m = Machine::from_toml(page.substr(begin, page.find("```", begin) - begin), "machine-file.md");
  EXPECT_EQ(m.ranks(), 4 * 4 * 3 * 2);
  EXPECT_EQ(m.exceptions().size(), 3U);
  auto const mistake = error_of([] {
    (void)Machine::from_toml("name = 'm'\naxes = [\n{ length = 2, bandwith = 1, latency = 0 } ]", "mine.toml");
  });
  EXPECT_TRUE(page.find(mistake) != std::string::npos) << mistake;
}

TEST(Json, CarriesWhatTheMachineSays) {
  auto const m = Machine::from_toml(file);
  auto const j = nlohmann::json::parse(m.to_json());
  EXPECT_EQ(j["name"], "two racks");
  EXPECT_EQ(j["ranks"], 24);
  EXPECT_EQ(j["links"], m.links());
  EXPECT_EQ(j["axes"][1]["length"], 3);
  EXPECT_EQ(j["axes"][0]["bandwidth"], 5e6);
  EXPECT_EQ(j["exceptions"].size(), 5U);
  EXPECT_EQ(j["memory"], std::int64_t{2} << 30);
}

TEST(Presets, HoldThePublishedNumbers) {
  EXPECT_EQ(preset_names(), (std::vector<std::string>{"bgp", "xe6", "gemini", "exascale", "laptop"}));
  auto const bgp = Machine::parse("bgp");
  EXPECT_EQ(bgp.nodes(), 512);
  EXPECT_EQ(bgp.axis(2), (Axis{8, true, BytesPerSecond(375e6), Seconds(5e-7)}));
  EXPECT_EQ(bgp.rates().flops, FlopsPerSecond(13.6e9));
  EXPECT_EQ(bgp.rates().memory, Bytes(std::int64_t{2} << 30));
  for (auto const* name : {"xe6", "gemini"}) {
    auto const m = Machine::parse(name);
    EXPECT_EQ(m.axis(0).bandwidth, 2.0 * m.axis(1).bandwidth);
    EXPECT_EQ(m.axis(2).bandwidth, 2.0 * m.axis(1).bandwidth);
    EXPECT_EQ(m.axis(0).latency, Seconds(1e-7));
    EXPECT_EQ(m.rates().injection, BytesPerSecond(20e9));
  }
  EXPECT_EQ(Machine::parse("gemini").nodes(), 24 * 24 * 24);
  EXPECT_EQ(Machine::parse("gemini").ranks_per_node(), 2);
  auto const exascale = Machine::parse("exascale");
  EXPECT_EQ(exascale.nodes(), 262144);
  EXPECT_NEAR(exascale.rates().flops.value() * exascale.nodes(), 1e18, 2e15);
  EXPECT_EQ(exascale.axis(0).bandwidth, BytesPerSecond(16.7e9));
}

}  // namespace
