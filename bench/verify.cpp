// Time of a proof. Usage: bench_verify MACHINE BYTES SEGMENT [ALGORITHM]; prints the report and the peak memory.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>

#include "allport/collectives/registry.h"
#include "allport/verify/verify.h"
#include "arguments.h"

int main(int argc, char** argv) {
  using namespace allport;
  return bench::alone("bench_verify", [&] {
    bench::Arguments given(argc, argv);
    auto const machine = Machine::parse(given.word("torus:64x64x64"));
    auto const bytes = given.long_number("BYTES", 1 << 20, 0);
    auto const segment = given.long_number("SEGMENT", 64 << 10, 1);
    auto const algorithm = given.word("rectangular");
    given.end();
    Contract const contract{.what = Collective::broadcast, .ranks = machine.ranks(), .root = 0, .bytes = bytes};
    auto const schedule = make_schedule(machine, contract, algorithm, {segment, 2});
    auto const report = verify::prove(schedule, machine);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%s\npeak memory: %.2f GiB\n", verify::to_json(report).c_str(),
                static_cast<double>(usage.ru_maxrss) / (1 << 20));
    return report.ok ? 0 : 1;
  });
}
