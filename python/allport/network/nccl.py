"""Reads NCCL's topology XML (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE): GPUs, PCI switches, NVLink, NICs of one box or more.

Rates that the file does not state are those that NCCL computes with (its src/graph/topo.h), and said to be assumed.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from xml.parsers import expat

from allport.errors import failure
from allport.machine import Axis
from allport.network.evidence import Evidence
from allport.network.graph import Graph

__all__ = ["graph_of"]

#: GB/s of one NVLink in one direction, from this compute capability on.
NVLINK = {60: 18.0, 70: 20.0, 80: 20.0, 86: 12.0, 87: 20.0, 90: 20.6, 100: 40.1}
#: Gbit/s of a PCI lane by its GT/s, after encoding and headers.
PCI_LANE = {2.5: 1.5, 5.0: 3.0, 8.0: 6.0, 16.0: 12.0, 32.0: 24.0, 64.0: 48.0}
WITHIN = 5000.0  # GB/s of a link that limits nothing: NIC of a CPU, ports of one switch
INNER = {"system": {"cpu"}, "cpu": {"pci", "nic"}, "pci": {"pci", "gpu", "nic", "pcilink"}}
INNER |= {"gpu": {"nvlink", "c2c"}, "nic": {"net", "gin", "rma"}}
MOST_DEPTH = 100


@dataclass
class _Element:
    tag: str
    line: int
    attributes: dict[str, str]
    inner: list[_Element] = field(default_factory=list)


def _parsed(text: str, where: str) -> _Element:
    root = _Element("", 0, {})
    path = [root]
    parser = expat.ParserCreate()

    def begin(tag: str, attributes: dict[str, str]) -> None:
        here = f"{where}, line {parser.CurrentLineNumber}"
        outer = path[-1].tag
        if len(path) > MOST_DEPTH:
            raise failure(f"{here}: <{tag}>: expected at most {MOST_DEPTH} elements within each other")
        if not outer and tag != "system":
            more = "; <graphs> is NCCL_GRAPH_FILE's" if tag == "graphs" else ""
            raise failure(f"{here}: <{tag}>: expected <system>, as NCCL_TOPO_DUMP_FILE begins{more}")
        if outer and tag not in INNER.get(outer, set()):
            allowed = ", ".join(f"<{name}>" for name in sorted(INNER.get(outer, set()))) or "nothing"
            raise failure(f"{here}: <{tag}> in <{outer}>: expected {allowed} there")
        path[-1].inner.append(_Element(tag, parser.CurrentLineNumber, attributes))
        path.append(path[-1].inner[-1])

    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda tag: path.pop()
    try:
        parser.Parse(text.encode(errors="replace"), True)
    except expat.ExpatError as error:
        raise failure(f"{where}, line {error.lineno}: not XML: {expat.ErrorString(error.code)}") from None
    return root.inner[0]


def _bytes(rate: float) -> float:
    """Whole bytes/s of GB/s."""
    return float(round(rate * 1e9))


@dataclass(frozen=True)
class _Gpu:
    name: str
    prefix: str  # of its host
    cpu: str
    element: _Element


class _Reader:
    """The graph of one file. Each link has the latency of `link`."""

    def __init__(self, where: str, link: Axis) -> None:
        self.where = where
        self.latency = link.latency
        self.graph = Graph(where)
        self.prefix = ""
        self.only_ranks = False
        self.gpus: dict[str, _Gpu] = {}  # by bus ID
        self.left_out: set[str] = set()  # bus IDs of GPUs without a rank
        self.bridges: dict[str, str] = {}  # PCI switches by bus ID
        self.bridged: list[tuple[str, str, _Element]] = []  # a PCI switch, its host's prefix, and a link of it
        self.links: dict[tuple[str, str, float], int] = {}  # directed: (from, to, GB/s) -> how many
        self.cpus: dict[str, list[tuple[str, _Element]]] = {}  # by host
        self.assumed: dict[str, list[str]] = {}

    def assume(self, what: str, value: str) -> None:
        if value not in self.assumed.setdefault(what, []):
            self.assumed[what].append(value)

    def here(self, element: _Element) -> str:
        return f"{self.where}, line {element.line}"

    def text(self, element: _Element, key: str) -> str:
        if key not in element.attributes:
            raise failure(f'{self.here(element)}: <{element.tag}> has no {key}: expected {key}="..."')
        return element.attributes[key]

    def number(self, element: _Element, key: str, absent: int | None = None) -> int:
        said = str(absent) if absent is not None and key not in element.attributes else self.text(element, key)
        if not re.fullmatch(r"-?(?:\d{1,12}|0x[0-9a-fA-F]{1,12})", said):
            raise failure(f"{self.here(element)}: {key} = '{said}': expected a whole number")
        return int(said, 0) if "0x" in said else int(said)

    def cable(self, a: str, b: str, rate: float, count: int = 1) -> None:
        self.graph.cable(a, b, _bytes(rate), self.latency, count)

    def read(self, system: _Element) -> None:
        if (version := self.number(system, "version", 1)) != 1:
            raise failure(f"{self.here(system)}: version {version}: expected 1, which NCCL writes")
        hosts = list(dict.fromkeys(cpu.attributes.get("host_hash", "") for cpu in system.inner))
        self.only_ranks = any("rank" in e.attributes for e in _all(system) if e.tag == "gpu")
        for cpu in system.inner:
            host = cpu.attributes.get("host_hash", "")
            self.prefix = f"host {hosts.index(host)} " if len(hosts) > 1 else ""
            self.cpu(cpu, host)
        if not self.gpus:
            raise failure(f"{self.here(system)}: names no GPU: expected <gpu>, or <pci> of class 0x03...")
        for gpu in self.gpus.values():
            for element in gpu.element.inner:
                if element.tag == "nvlink":
                    self.nvlink(gpu, element)
                else:
                    self.c2c(gpu, element)
        for name, prefix, element in self.bridged:
            # NCCL ignores links to switches of which it knows nothing.
            other = self.bridges.get(prefix + self.text(element, "target").lower(), name)
            if other != name:
                self.links[name, other, WITHIN] = 1
        for (a, b, rate), count in self.links.items():  # the two directions of as many links are cables
            back = self.links.get((b, a, rate), 0)
            if a < b:
                self.cable(a, b, rate, min(count, back))
            if count > back:
                self.graph.link(a, b, _bytes(rate), self.latency, count - back)
        for cpus in self.cpus.values():
            rates = [self.between_cpus(cpu) for _, cpu in cpus] if len(cpus) > 1 else []
            for i, j in itertools.combinations(range(len(rates)), 2):
                self.graph.link(cpus[i][0], cpus[j][0], _bytes(rates[i]), self.latency)
                self.graph.link(cpus[j][0], cpus[i][0], _bytes(rates[j]), self.latency)

    def cpu(self, cpu: _Element, host: str) -> None:
        name = f"{self.prefix}NUMA {self.number(cpu, 'numaid')}"
        self.graph.switch(name, self.here(cpu))
        self.cpus.setdefault(host, []).append((name, cpu))
        nics = 0
        for element in cpu.inner:
            if element.tag == "pci":
                self.pci(element, name, name)
            else:
                self.nic(element, name, WITHIN, f"{name} NIC {nics}")
                nics += 1

    def between_cpus(self, cpu: _Element) -> float:
        """GB/s from a CPU to each other one of its host."""
        rate = self._between_cpus(cpu)
        self.assume("from CPU to CPU", f"{rate:g} GB/s")
        return rate

    def _between_cpus(self, cpu: _Element) -> float:
        arch = self.text(cpu, "arch")
        if arch in ("ppc64", "arm64"):
            return 32.0 if arch == "ppc64" else 6.0
        vendor = self.text(cpu, "vendor")
        if arch != "x86_64" or vendor not in ("GenuineIntel", "AuthenticAMD"):
            raise failure(
                f"{self.here(cpu)}: arch '{arch}', vendor '{vendor}': expected x86_64 of GenuineIntel or AuthenticAMD, "
                "arm64 or ppc64, whose links between sockets are known"
            )
        family = self.number(cpu, "familyid")
        if vendor == "AuthenticAMD":
            return 32.0 if family in (26, 0xBF) else 24.0 if family in (25, 0xAF) else 16.0
        model = self.number(cpu, "modelid") if family == 6 else 0
        if model >= 0xCF or model in (0xAD, 0xAE, 0xAF):
            return 40.0
        return 22.0 if model >= 0x8F else 10.0 if model >= 0x55 else 6.0

    def pci_rate(self, pci: _Element) -> float:
        """GB/s; as NCCL has it, a link without width has 16 lanes, and one without speed 8 GT/s."""
        width = self.number(pci, "link_width", 0)
        said = pci.attributes.get("link_speed", "")
        speed = re.match(r"(\d{1,3}(?:\.\d+)?) GT/s", said)
        lane = PCI_LANE.get(float(speed[1])) if speed else None
        if speed and lane is None:
            speeds = ", ".join(f"{s:g}" for s in PCI_LANE)
            raise failure(f"{self.here(pci)}: link_speed = '{said}': expected one of {speeds} GT/s")
        if width <= 0 or lane is None:
            self.assume("PCI links without width or speed", "16 lanes, 8 GT/s")
        return (width if width > 0 else 16) * (lane or PCI_LANE[8.0]) / 8

    def pci(self, pci: _Element, above: str, cpu: str) -> None:
        bus = self.text(pci, "busid").lower()
        rate = self.pci_rate(pci)
        gpus = [e for e in pci.inner if e.tag == "gpu"]
        nics = [e for e in pci.inner if e.tag == "nic"]
        if gpus or (not pci.inner and self.text(pci, "class").startswith("0x03")):
            self.gpu(pci, gpus, bus, (above, cpu, rate))
        elif nics:
            self.nic(nics[0], above, rate, f"{self.prefix}NIC {bus}")
        elif self.text(pci, "class").startswith("0x02") and not pci.inner:
            self.assume("left out", "NICs without <nic>")
        else:
            name = f"{self.prefix}PCI {bus}"
            self.graph.switch(name, self.here(pci))
            self.bridges[self.prefix + bus] = name
            self.cable(above, name, rate)
            for element in pci.inner:
                if element.tag == "pci":
                    self.pci(element, name, cpu)
                else:
                    self.bridged.append((name, self.prefix, element))

    def gpu(self, pci: _Element, gpus: list[_Element], bus: str, up: tuple[str, str, float]) -> None:
        if len(gpus) > 1 or any("mlopart" in gpu.attributes for gpu in gpus):
            raise failure(f"{self.here(pci)}: parts of a GPU: expected one <gpu> in each <pci>, without mlopart")
        gpu = gpus[0] if gpus else _Element("gpu", pci.line, {})
        if self.only_ranks and "rank" not in gpu.attributes:
            self.left_out.add(self.prefix + bus)
            self.assume("left out", "GPUs without a rank")
            return
        above, cpu, rate = up
        name = f"{self.prefix}GPU {gpu.attributes.get('dev', bus)}"
        self.graph.node(name, self.here(pci))
        self.gpus[self.prefix + bus] = _Gpu(name, self.prefix, cpu, gpu)
        self.cable(name, above, rate)

    def nic(self, nic: _Element, above: str, rate: float, name: str) -> None:
        self.graph.switch(name, self.here(nic))
        self.cable(above, name, rate)
        for net in nic.inner:
            if net.tag != "net" or "dev" not in net.attributes or net.attributes.get("net") == "0":
                continue
            port = f"{self.prefix}port {net.attributes.get('name', net.attributes['dev'])}"
            port += f" {net.attributes['port']}" if port in self.graph and "port" in net.attributes else ""
            speed = self.number(net, "speed", 0)  # Mbit/s
            if speed <= 0:
                self.assume("NICs without a speed", "10 Gbit/s")
            self.graph.switch(port, self.here(net))
            self.cable(name, port, (speed if speed > 0 else 10000) / 8000)

    def nvlink(self, gpu: _Gpu, element: _Element) -> None:
        count = self.number(element, "count")
        sm = self.number(gpu.element, "sm")
        if not 1 <= count <= 1024 or sm < min(NVLINK) or sm >= 107:
            raise failure(
                f"{self.here(element)}: {count} links of sm {sm}: expected 1 to 1024 links, and compute capability "
                "60 to 106, whose rate is known"
            )
        rate = next(rate for least, rate in reversed(NVLINK.items()) if sm >= least)
        self.assume("rate of an NVLink", f"{rate:g} GB/s (sm {sm})")
        kind = self.text(element, "tclass")
        if kind.startswith("0x03"):
            target = gpu.prefix + self.text(element, "target").lower()
            if target in self.left_out:
                return
            if target not in self.gpus or self.gpus[target] is gpu:
                raise failure(f"{self.here(element)}: target {target}: expected the busid of another GPU in this file")
            key = (gpu.name, self.gpus[target].name, rate)
            self.links[key] = self.links.get(key, 0) + count
        elif kind == "0x068001":
            self.cable(gpu.name, gpu.cpu, rate, count)
        elif kind.startswith("0x0680"):
            if "NVSwitch" not in self.graph:
                self.graph.switch("NVSwitch", self.here(element))
            self.cable(gpu.name, "NVSwitch", rate, count)
        else:
            raise failure(
                f"{self.here(element)}: tclass '{kind}': expected 0x03... (GPU), 0x068000 (NVSwitch) or 0x068001 (CPU)"
            )

    def c2c(self, gpu: _Gpu, element: _Element) -> None:
        count, rate = self.number(element, "count"), self.number(element, "bw")
        if not 1 <= count <= 1024 or rate < 1:
            raise failure(f"{self.here(element)}: {count} links of {rate} MB/s: expected at least 1 of each")
        self.cable(gpu.name, gpu.cpu, rate / 1000, count)


def _all(element: _Element) -> list[_Element]:
    found = [element]
    for one in found:  # grows on the go
        found += one.inner
    return found


def graph_of(text: str, where: str, link: Axis) -> tuple[Graph, list[Evidence]]:
    """The network in the text: GPUs are the compute nodes; NUMA domains, PCI switches, NVSwitch, NICs and their ports
    are switches. link: has the latency. Raises Error naming the line."""
    reader = _Reader(where, link)
    reader.read(_parsed(text, where))
    evidence = [
        Evidence("rates of PCI links and NICs", "after encoding", where, "stated"),
        Evidence("beyond the ports of NICs", "nothing: the file describes no network there", where, "stated"),
    ]
    for what, values in reader.assumed.items():
        sure = "stated" if what == "left out" else "assumed"
        evidence.append(Evidence(what, ", ".join(values), where if what == "left out" else "NCCL's own values", sure))
    return reader.graph, evidence
