// Algorithms that are Python functions: called with the interpreter's lock, from whichever thread asks, and never after
// the interpreter has gone.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <utility>
#include <vector>

#include "allport/collectives/registry.h"
#include "bindings.h"

namespace allport::python {
namespace {

using namespace nb::literals;

/// A Python function of an algorithm. Copies of what holds it need no lock: the function is counted here once.
class Function {
 public:
  static std::shared_ptr<Function> hold(std::string whose, nb::object function) {
    auto made = std::shared_ptr<Function>(new Function(std::move(whose), std::move(function)));
    std::erase_if(held(), [](auto const& one) { return one.expired(); });
    held().push_back(made);
    return made;
  }

  ~Function() {
    if (!function_.is_valid()) return;
    auto const locked = nb::gil_scoped_acquire();
    function_.reset();
  }
  Function(Function const&) = delete;
  Function& operator=(Function const&) = delete;

  /// The result of `use(function)`, with what Python raises as an Error. Takes the interpreter's lock.
  template <class Use>
  auto call(Use&& use) const {
    if (Py_IsInitialized() == 0) throw gone();
    auto const locked = nb::gil_scoped_acquire();
    if (!function_.is_valid()) throw gone();
    try {
      return use(function_);
    } catch (nb::python_error& error) {
      throw Error(ErrorKind::schedule, fmt::format("{} raised {}", whose_, text_of(error)));
    }
  }

  [[nodiscard]] Error wrong(nb::handle got, std::string_view expected) const {
    return Error(ErrorKind::schedule,
                 fmt::format("{} returned {}; expected {}", whose_, nb::repr(got).c_str(), expected));
  }

  /// At the interpreter's end, with its lock: what C++ still holds must not keep Python's objects.
  static void let_all_go() {
    for (auto const& one : held()) {
      if (auto const function = one.lock()) function->function_.reset();
    }
    held().clear();
  }

 private:
  Function(std::string whose, nb::object function) : whose_(std::move(whose)), function_(std::move(function)) {}

  [[nodiscard]] Error gone() const {
    return Error(ErrorKind::schedule, whose_ + " was called after Python had ended; use it before");
  }
  /// Under the interpreter's lock.
  static std::vector<std::weak_ptr<Function>>& held() {
    static auto& all = *new std::vector<std::weak_ptr<Function>>;
    return all;
  }

  std::string whose_;
  nb::object function_;
};

using Shared = std::shared_ptr<Function const>;

/// What `program(rank)` gave: a Program, or operations that need no scratch.
void take_program(Function const& function, nb::object const& got, Program& into) {
  if (nb::isinstance<Program>(got)) {
    into = nb::cast<Program const&>(got);
    return;
  }
  constexpr auto expected = "a Program, or a list of Op";
  if (!nb::isinstance<nb::list>(got) && !nb::isinstance<nb::tuple>(got)) throw function.wrong(got, expected);
  for (auto const op : got) {
    if (!nb::isinstance<Op>(op)) throw function.wrong(got, expected);
    into.ops.push_back(nb::cast<Op const&>(op));
  }
}

/// What `make` gave: a Schedule, or a function of a rank.
Schedule take_schedule(Function const& maker, std::string const& name, nb::object const& got, Contract const& contract,
                       Cut cut) {
  if (nb::isinstance<Schedule>(got)) return nb::cast<Schedule const&>(got);
  if (PyCallable_Check(got.ptr()) == 0) throw maker.wrong(got, "a function of a rank, or a Schedule");
  Shared const program = Function::hold(fmt::format("program(rank) of algorithm '{}'", name), got);
  return {name, contract, cut, 1, [program](Rank rank, Program& into) {
            program->call([&](nb::object const& f) { take_program(*program, f(rank), into); });
          }};
}

Seconds take_price(Function const& function, nb::object const& got) {
  auto const seconds = PyFloat_AsDouble(got.ptr());
  if (seconds == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw function.wrong(got, "seconds, a number");
  }
  return Seconds(seconds);
}

std::optional<std::string> take_reason(Function const& function, nb::object const& got) {
  if (got.is_none()) return std::nullopt;
  if (!nb::isinstance<nb::str>(got)) throw function.wrong(got, "None, or the reason as text");
  return nb::cast<std::string>(got);
}

void add(std::string const& collective, std::string const& name, std::string const& summary, nb::object make,
         nb::object price, nb::object why_not) {
  auto const hold = [&](char const* what, nb::object function) -> Shared {
    ensure(PyCallable_Check(function.ptr()) != 0, what, nb::repr(function).c_str(), "a function");
    return Function::hold(fmt::format("{} of algorithm '{}'", what, name), std::move(function));
  };
  Algorithm added{.what = parse_collective(collective), .name = name, .summary = summary};
  added.make = [f = hold("make", std::move(make)), name](Machine const& m, Contract const& c, Cut cut) {
    return f->call([&](nb::object const& call) { return take_schedule(*f, name, call(m, c, cut), c, cut); });
  };
  if (!price.is_none()) {
    added.price = [f = hold("price", std::move(price))](Machine const& m, Contract const& c, Cut cut) {
      return f->call([&](nb::object const& call) { return take_price(*f, call(m, c, cut)); });
    };
  }
  if (!why_not.is_none()) {
    added.why_not = [f = hold("why_not", std::move(why_not))](Machine const& m, Contract const& c) {
      return f->call([&](nb::object const& call) { return take_reason(*f, call(m, c)); });
    };
  }
  register_algorithm(std::move(added));
}

}  // namespace

void bind_registered(nb::module_& m) {
  nb::class_<Cut>(m, "Cut", "How a schedule is cut.")
      .def_ro("segment", &Cut::segment, "Bytes at most of a segment.")
      .def_ro("window", &Cut::window, "Segments in flight per stream.");
  nb::class_<Contract>(m, "Contract", "What a schedule promises: who holds what before, and who must hold what after.")
      .def_prop_ro(
          "collective", [](Contract const& c) { return std::string(name(c.what)); }, "bcast, reduce, ...")
      .def_ro("ranks", &Contract::ranks, "Ranks that take part.")
      .def_ro("root", &Contract::root, "The rank that sends or receives the whole.")
      .def_ro("bytes", &Contract::bytes, "Of the message, or of the longest block.")
      .def_ro("element", &Contract::element, "Bytes that must not be cut apart.")
      .def("block", &Contract::block, "source"_a, "destination"_a, "Bytes that source has for destination.")
      .def("input_offset", &Contract::input_offset, "rank"_a, "destination"_a,
           "Where the block for destination begins in a rank's input.")
      .def("output_offset", &Contract::output_offset, "rank"_a, "source"_a,
           "Where the block from source begins in a rank's output.")
      .def("__repr__", [](Contract const& c) {
        return fmt::format("Contract({}, {} ranks, root {}, {} bytes)", name(c.what), c.ranks, c.root, c.bytes);
      });
  m.def("register_algorithm", add, "collective"_a, "name"_a, "summary"_a, "make"_a, "price"_a.none(),
        "why_not"_a.none());
  m.def(
      "registered_text", [] { return registered_text(algorithms()); }, "Of the program's own algorithms.");
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&Function::let_all_go));
}

}  // namespace allport::python
