// The C interface: grids in blocks.
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allport/loops/cores.h"
#include "allport/loops/teams.h"
#include "loop_options.h"
#include "loops/untyped_blocks.h"
#include "options.h"

struct allport_blocks_s {
  allport_blocks_s(allport::Communicator const& comm, allport::loops::BlockShape shape, std::int64_t element,
                   int threads)
      : teams(allport::loops::cores_of_rank(comm), {.threads = threads}),
        blocks(comm, std::move(shape), teams, element, {}) {}

  allport::loops::Teams teams;
  allport::loops::UntypedBlocks blocks;
  std::string text{};  ///< of allport_blocks_text()
};

namespace {

using namespace allport;
using namespace allport::c_interface;

std::vector<std::string> words_of(std::string const& text, char separator) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    auto const end = std::min(text.find(separator, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// Of "64x128".
std::vector<std::int64_t> lengths_named(std::string const& text, std::string const& key) {
  std::vector<std::int64_t> lengths;
  for (auto const& word : words_of(text, 'x')) lengths.push_back(whole_number(word, key));
  return lengths;
}

/// A body of C's for each part.
auto called(allport_block_body body, void* context) {
  ensure(body != nullptr, "body", "NULL", "a function");
  return [body, context](loops::BlockPart const& part) {
    allport_block_part seen{part.block, part.iteration, {}, {}, {}};
    for (std::size_t a = 0; a < part.first.size(); ++a) {
      seen.first[a] = part.first[a];
      seen.cells[a] = part.cells[a];
      seen.stride[a] = part.stride[a];
    }
    auto const code = body(context, &seen, part.now, part.next);
    ensure(code == 0, "body", code, "a body that returns 0", "", ErrorKind::schedule);
  };
}

loops::BalanceOptions balance_options(char const* text) {
  loops::BalanceOptions options;
  read_options(text, "balancer= or tolerance=", [&](std::string const& key, std::string const& value) {
    if (key == "balancer") {
      options.balancer = loops::parse_balancer(value);
    } else if (key == "tolerance") {
      auto const [end, code] = std::from_chars(value.data(), value.data() + value.size(), options.tolerance);
      ensure(code == std::errc() && end == value.data() + value.size() && options.tolerance >= 1, "options: tolerance",
             value, "a number of at least 1");
    } else {
      return false;
    }
    return true;
  });
  return options;
}

std::string dimensions(std::vector<std::int64_t> const& lengths) {
  std::string text;
  for (auto const length : lengths) text += (text.empty() ? "" : "x") + std::to_string(length);
  return text;
}

}  // namespace

extern "C" {

int allport_blocks_create(allport_comm comm, int axes, int64_t const* grid, int64_t const* block, int64_t element_bytes,
                          char const* options, allport_blocks* created) {
  return made(created, [&] {
    auto const& on = the(comm, "comm").comm;
    ensure(axes >= 1 && axes <= loops::BlockGrid::most_axes, "axes", axes, "1 to 3");
    ensure(grid != nullptr, "grid", "NULL", "the number of cells along each axis");
    ensure(block != nullptr, "block", "NULL", "the number of cells of a block along each axis");
    ensure(element_bytes >= 1, "element_bytes", element_bytes, "at least 1");
    loops::BlockShape shape{{grid, grid + axes}, {block, block + axes}, {}, 1};
    int threads = 0;
    read_options(options, "halo=, periodic= or threads=", [&](std::string const& key, std::string const& value) {
      if (key == "halo") {
        shape.halo = whole_number(value, key);
      } else if (key == "periodic") {
        for (auto const digit : value) {
          ensure(digit == '0' || digit == '1', "options: periodic", value, "0 or 1 for each axis, as 101");
          shape.periodic.push_back(digit == '1');
        }
      } else if (key == "threads") {
        threads = workers_given(value, key);
      } else {
        return false;
      }
      return true;
    });
    return new allport_blocks_s(on, std::move(shape), element_bytes, threads);
  });
}

int allport_blocks_free(allport_blocks* blocks) { return freed(blocks, "blocks"); }

int allport_blocks_visit(allport_blocks blocks, int fills, allport_block_body body, void* context) {
  return guarded([&] { the(blocks, "blocks").blocks.visit(fills != 0, called(body, context)); });
}

int allport_blocks_iterate(allport_blocks blocks, int64_t count, allport_block_body body, void* context,
                           char const* options) {
  return guarded([&] {
    auto& on = the(blocks, "blocks").blocks;
    on.iterate(count, loop_options(options), called(body, context));
  });
}

int allport_blocks_balance(allport_blocks blocks, double* imbalance, char const* options) {
  return guarded([&] {
    auto& on = the(blocks, "blocks").blocks;
    auto& before = place(imbalance, "imbalance");
    before = on.engine().balance(balance_options(options)).before;
  });
}

int allport_blocks_configure(allport_blocks blocks, char const* options) {
  return guarded([&] {
    auto& on = the(blocks, "blocks");
    auto leaders = on.teams.leaders();
    auto members = on.teams.members();
    std::vector<std::int64_t> block;
    read_options(options, "leaders=, members= or block=", [&](std::string const& key, std::string const& value) {
      if (key == "leaders") {
        leaders = static_cast<int>(whole_number(value, key));
      } else if (key == "members") {
        members = static_cast<int>(whole_number(value, key));
      } else if (key == "block") {
        block = lengths_named(value, key);
      } else {
        return false;
      }
      return true;
    });
    on.teams.configure(leaders, members);
    if (!block.empty()) on.blocks.engine().recut(block);
  });
}

int allport_blocks_select(allport_blocks blocks, char const* options) {
  return guarded([&] {
    auto& on = the(blocks, "blocks");
    std::vector<loops::LoopOptions> schedules{{}};
    std::vector<std::vector<std::int64_t>> sizes;
    std::string site;
    read_options(options, "schedules=, blocks= or site=", [&](std::string const& key, std::string const& value) {
      if (key == "schedules") {
        schedules.clear();
        for (auto const& word : words_of(value, ',')) schedules.push_back({schedule_named(word, key)});
      } else if (key == "blocks") {
        for (auto const& word : words_of(value, ',')) sizes.push_back(lengths_named(word, key));
      } else if (key == "site") {
        site = value;
      } else {
        return false;
      }
      return true;
    });
    on.blocks.select(loops::loop_configurations(on.teams.threads(), schedules, loops::Threads::all, sizes),
                     std::move(site));
  });
}

char const* allport_blocks_text(allport_blocks blocks, char const* what) {
  return text_or_null([&] {
    auto& on = the(blocks, "blocks");
    auto const wanted = text_given(what, "what", "best, explain or block");
    auto const* const selector = on.blocks.selector();
    if (wanted == "block") {
      on.text = dimensions(on.blocks.engine().grid().shape().block);
    } else if (wanted == "best" || wanted == "explain") {
      ensure(selector != nullptr, "what", wanted, "block", "call allport_blocks_select() before");
      on.text = wanted == "best" ? loops::name(selector->best()) : selector->selector().explain();
    } else {
      throw Error::argument("what", show(wanted), "best, explain or block");
    }
    return on.text.c_str();
  });
}

}  // extern "C"
