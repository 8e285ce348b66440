// Lists of links as TOML, and allocations: what is read, refused, and written back.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "allport/base/error.h"
#include "allport/machine/machine.h"
#include "allport/machine/topology.h"

namespace allport {
namespace {

constexpr auto* desk = R"(name = "desk"
nodes = ["a", "b"]
switches = ["s"]
bandwidth = "100 Gbit/s"
latency = "1 us"
link = [
  { from = "a", to = "s" },
  { from = "b", to = "s", bandwidth = "25 GB/s", latency = "500 ns", count = 2 },
  { from = "a", to = "b", both_directions = false },
]
)";

TopologyLink directed(Vertex from, Vertex to, double bandwidth, double latency) {
  return {from, to, BytesPerSecond(bandwidth), Seconds(latency)};
}

std::string refusal_of_file(std::string const& text) {
  try {
    static_cast<void>(Topology::from_toml(text, "net.toml"));
    return {};
  } catch (Error const& e) {
    return e.what();
  }
}

void expect_same(Topology const& a, Topology const& b) {
  EXPECT_EQ(a.name(), b.name());
  ASSERT_EQ(a.compute_nodes(), b.compute_nodes());
  ASSERT_EQ(a.vertices(), b.vertices());
  for (Vertex v = 0; v < a.vertices(); ++v) EXPECT_EQ(a.name(v), b.name(v));
  EXPECT_EQ(a.links(), b.links());
}

TEST(TopologyFile, IsReadInItsUnits) {
  auto const read = Topology::from_toml(desk);
  EXPECT_EQ(read.name(), "desk");
  EXPECT_EQ(read.compute_nodes(), 2);
  EXPECT_EQ(read.vertices(), 3);
  EXPECT_EQ(read.name(2), "s");
  EXPECT_EQ(read.links(), (std::vector<TopologyLink>{directed(0, 2, 12.5e9, 1e-6), directed(2, 0, 12.5e9, 1e-6),
                                                     directed(1, 2, 25e9, 5e-7), directed(2, 1, 25e9, 5e-7),
                                                     directed(1, 2, 25e9, 5e-7), directed(2, 1, 25e9, 5e-7),
                                                     directed(0, 1, 12.5e9, 1e-6)}));
}

TEST(TopologyFile, TakesNumbersForNames) {
  auto const read = Topology::from_toml(R"(
nodes = 2
switches = 1
[[link]]
from = 0
to = 2
bandwidth = 1e9
latency = 0
[[link]]
from = "node 1"
to = "switch 0"
bandwidth = "1 Tbit/s"
latency = "2 us"
)",
                                        "x.toml");
  EXPECT_EQ(read.name(), "x.toml");
  EXPECT_EQ(read.links(), (std::vector<TopologyLink>{directed(0, 2, 1e9, 0), directed(2, 0, 1e9, 0),
                                                     directed(1, 2, 125e9, 2e-6), directed(2, 1, 125e9, 2e-6)}));
}

TEST(TopologyFile, IsWrittenAsItWasRead) {
  for (auto const* spec :
       {"fattree:4x4/2", "rails:3x4", "torus:3x2x2", "dragonfly:a=3,p=1,h=1,host=8", "random:9,4,2", "full:1"})
    expect_same(Topology::from_toml(Topology::parse(spec).to_toml()), Topology::parse(spec));
  expect_same(Topology::from_toml(Topology::from_toml(desk).to_toml()), Topology::from_toml(desk));
  // What most links have stands at the top.
  for (auto const* line :
       {R"(bandwidth = "25 GB/s")", R"(  { from = "b", to = "s", count = 2 },)",
        R"(  { from = "a", to = "b", bandwidth = "12.5 GB/s", latency = "1 us", both_directions = false },)"})
    EXPECT_NE(Topology::from_toml(desk).to_toml().find(line), std::string::npos) << line;
}

TEST(TopologyFile, IsWrittenWithItsLinksInTheirOrder) {
  std::mt19937 random(7);
  auto const below = [&](unsigned n) { return static_cast<Vertex>(random() % n); };
  for (int graph = 0; graph < 200; ++graph) {
    std::vector<TopologyLink> links;
    for (int l = 0; l < 30; ++l) {
      auto const from = below(3);
      links.push_back(directed(from, (from + 1 + below(2)) % 3, 1e9 / (1 + below(2)), 1e-6 / (1 + below(2))));
    }
    Topology const topology("\"odd\"\\\n", 2, 1, links, {"a", "b b", "\xc3\xa4\"#"});
    expect_same(Topology::from_toml(topology.to_toml()), topology);
  }
}

TEST(TopologyFile, RefusesWithTheLineAndWhatWasExpected) {
  struct Bad {
    std::string text, line, expected;
  };
  for (auto const& [text, line, expected] : std::vector<Bad>{
           {"nodes = 0\n", "net.toml:1:", "from 1"},
           {"nodes = 3000000\n", "net.toml:1:", "at most 1048576"},
           {"nodes = []\n", "net.toml:1:", "at least 1"},
           {"name = 'x'\n", "net.toml:1:", "nodes: expected the names"},
           {"nodes = ['a', 3]\n", "net.toml:1:", "names, each in quotes"},
           {"nodes = ['a',\n 'a']\n", "net.toml:2:", "'a' is named twice"},
           {"nodes = ['a']\nswitches = ['a']\n", "net.toml:2:", "'a' is named twice"},
           {"nodes = 2\nlinks = []\n", "net.toml:2:", "did you mean 'link'?"},
           {"nodes = 2\n[[link]]\nfrom = 0\n", "net.toml:2:", "no 'to'"},
           {"nodes = 2\n[[link]]\nfrom = 0\nto = 2\n", "net.toml:4:", "a number below 2"},
           {"nodes = 2\n[[link]]\nfrom = 0\nto = 'b'\n", "net.toml:4:", "to = 'b': expected the name"},
           {"nodes = 2\n[[link]]\nfrom = 0\nto = 0\nbandwidth = 1\nlatency = 0\n", "net.toml:2:", "two different ends"},
           {"nodes = 2\n[[link]]\nfrom = 0\nto = 1\nlatency = 0\n", "net.toml:2:", "bandwidth: expected more than 0"},
           {"nodes = 2\n[[link]]\nfrom = 0\nto = 1\nbandwidth = 1\n", "net.toml:2:", "latency: expected that"},
           {"nodes = 2\nbandwidth = '5 GB'\n", "net.toml:2:", "GiB/s"},
           {"nodes = 2\n[[link]]\nfrom = 0\nto = 1\ncount = 0\n", "net.toml:2:", "bandwidth"},
           {"nodes = 2\nbandwidth = 1\nlatency = 0\n[[link]]\nfrom = 0\nto = 1\ncount = 0\n", "net.toml:7:", "from 1"},
           {"nodes = 2\nbandwidth = 1\nlatency = 0\n[[link]]\nfrom = 0\nto = 1\ncount = 99999999\n",
            "net.toml:4:", "at most 2097152 links"},
           {"nodes = 2\nlink = 3\n", "net.toml:2:", "a list of tables"},
           {"nodes = [", "net.toml:1:", "not TOML"},
           {"network = 'torus:4'\n", "net.toml:1:", "nodes: expected a list"},
           {"network = 'torus:4'\nnodes = [4]\n", "net.toml:2:", "a number below 4"},
           {"network = 'torus:4'\nnodes = [1, 1]\n", "net.toml:1:", "each node once"},
           {"network = 'torus:4'\nnodes = [1]\nswitches = 1\n", "net.toml:3:", "nothing but 'nodes' and 'name'"},
           {"network = 'clos:4'\nnodes = [1]\n", "net.toml:1:", "torus, mesh"},
           {"network = 'allocation:0@torus:4'\nnodes = [0]\n", "net.toml:1:", "no allocation"},
           {"network = 'gone.toml'\nnodes = [0]\n", "net.toml:1:", "a readable file"},
       }) {
    auto const message = refusal_of_file(text);
    EXPECT_TRUE(message.starts_with(line)) << text << message;
    EXPECT_NE(message.find(expected), std::string::npos) << text << message;
  }
}

TEST(TopologyFile, OfTheReferenceIsRead) {
  std::ifstream in(ALLPORT_SOURCE_DIR "/docs/reference/machine-file.md");
  std::string const page{std::istreambuf_iterator<char>(in), {}};
  auto at = page.find("## Lists of links");
  std::vector<Topology> read;
  for (int block = 0; block < 2; ++block) {
    auto const begin = page.find("```toml\n", at) + 8;
    at = page.find("```", begin);
    read.push_back(Topology::from_toml(page.substr(begin, at - begin), "machine-file.md"));
    ++at;
  }
  EXPECT_EQ(read[0].name(), "desk");
  EXPECT_EQ(read[0].links().size(), 9U);
  EXPECT_EQ(read[1].compute_nodes(), 3);
  EXPECT_EQ(read[1].name(2), "(2,1)");
}

TEST(TopologyFile, AMachineFileIsItsGrid) {
  auto const machine = Machine::parse("torus:3x2");
  expect_same(Topology::from_toml(machine.to_toml()), Topology::of(machine));
}

TEST(TopologyFile, IsNoMachine) {
  try {
    static_cast<void>(Machine::from_toml(desk, "desk.toml"));
    FAIL();
  } catch (Error const& e) {
    EXPECT_NE(std::string(e.what()).find("desk.toml:2: this file lists the nodes and links"), std::string::npos);
  }
}

TEST(Allocation, OfAGridHasTheOthersAsSwitches) {
  auto const part = Topology::parse("allocation:5,0-1@torus:4x2");
  EXPECT_EQ(part.name(), "allocation:5,0-1@torus:4x2");
  EXPECT_EQ(part.compute_nodes(), 3);
  EXPECT_EQ(part.vertices(), 8);
  auto const whole = Topology::parse("torus:4x2");
  std::vector<Vertex> const order{5, 0, 1, 2, 3, 4, 6, 7};  // the vertices of the torus as the allocation has them
  ASSERT_EQ(part.links().size(), whole.links().size());
  for (Vertex v = 0; v < part.vertices(); ++v) EXPECT_EQ(part.name(v), whole.name(order[static_cast<std::size_t>(v)]));
  for (std::size_t l = 0; l < part.links().size(); ++l) {
    EXPECT_EQ(order[static_cast<std::size_t>(part.links()[l].from)], whole.links()[l].from);
    EXPECT_EQ(order[static_cast<std::size_t>(part.links()[l].to)], whole.links()[l].to);
    EXPECT_EQ(part.links()[l].bandwidth, whole.links()[l].bandwidth);
  }
}

TEST(Allocation, IsReadFromAFileBesideIt) {
  auto const folder = std::filesystem::path(testing::TempDir()) / "allport_topology_file";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "whole.toml") << desk;
  std::ofstream(folder / "part.toml") << "network = 'whole.toml'\nnodes = ['b']\nname = 'part'\n";
  std::ofstream(folder / "loop.toml") << "network = 'loop.toml'\nnodes = [0]\n";
  auto const part = Topology::parse((folder / "part.toml").string());
  EXPECT_EQ(part.name(), "part");
  EXPECT_EQ(part.compute_nodes(), 1);
  EXPECT_EQ(part.name(0), "b");
  EXPECT_EQ(part.name(1), "a");
  EXPECT_EQ(part.links().size(), Topology::from_toml(desk).links().size());
  expect_same(Topology::from_toml(part.to_toml()), part);
  EXPECT_THROW(static_cast<void>(Topology::parse((folder / "loop.toml").string())), Error);
  expect_same(
      Topology::parse("allocation:1@" + (folder / "whole.toml").string()),
      Topology::from_toml(desk).allocation(std::vector<Vertex>{1}, "allocation:1@" + (folder / "whole.toml").string()));
}

TEST(Allocation, RefusesNodesThatAreNotThere) {
  for (auto const& [spec, expected] : std::vector<std::pair<std::string, std::string>>{
           {"allocation:4@torus:4", "a compute node from 0 to 3"},
           {"allocation:1,1@torus:4", "each node once"},
           {"allocation:3-1@torus:4", "a number of at least 3"},
           {"allocation:1", "'@'"},
           {"allocation:@torus:4", "a node"},
           {"allocation:0@allocation:0@torus:4", "no allocation"},
           {"allocation:0-99999999@torus:4", "at most 16,777,216"},
       }) {
    try {
      static_cast<void>(Topology::parse(spec));
      ADD_FAILURE() << spec;
    } catch (Error const& e) {
      EXPECT_NE(std::string(e.what()).find(expected), std::string::npos) << e.what();
    }
  }
}

TEST(Topology, NamesAreDifferent) { EXPECT_THROW(Topology("twice", 2, 0, {}, {"a", "a"}), Error); }

}  // namespace
}  // namespace allport
