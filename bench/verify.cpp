// Time of a proof. Usage: bench_verify MACHINE BYTES SEGMENT [ALGORITHM]; prints the report and the peak memory.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>

#include "allport/collectives/registry.h"
#include "allport/verify/verify.h"

int main(int argc, char** argv) {
  using namespace allport;
  auto const machine = Machine::parse(argc > 1 ? argv[1] : "torus:64x64x64");
  auto const bytes = argc > 2 ? std::atoll(argv[2]) : 1 << 20;
  auto const segment = argc > 3 ? std::atoll(argv[3]) : 64 << 10;
  Contract const contract{.what = Collective::broadcast, .ranks = machine.ranks(), .root = 0, .bytes = bytes};
  auto const schedule = make_schedule(machine, contract, argc > 4 ? argv[4] : "rectangular", {segment, 2});
  auto const report = verify::prove(schedule, machine);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%s\npeak memory: %.2f GiB\n", verify::to_json(report).c_str(),
              static_cast<double>(usage.ru_maxrss) / (1 << 20));
  return report.ok ? 0 : 1;
}
