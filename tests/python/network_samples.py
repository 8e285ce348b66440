"""Small networks in the formats of others, and what is wrong with variants of them."""

from __future__ import annotations

SLURM_TREE = """\
# Two leaf switches.
SwitchName=leaf0 Nodes=n[0-2] LinkSpeed=100
SwitchName=leaf1 Nodes=n[3-4]
SwitchName=top Switches=leaf[0-1]
"""
SLURM_BLOCKS = """\
BlockName=b0 Nodes=n[0-1]
BlockName=b1 Nodes=n[2-3]
BlockName=b2 Nodes=n[4-5]
BlockSizes=2,4
"""
SLURM_YAML = """\
- topology: fat
  tree:
    switches:
      - switch: top
        children: s[1-2]
      - switch: s1
        nodes: n1
      - switch: s2
        nodes: n2
- topology: rack
  cluster_default: true
  block:
    block_sizes: [2]
    blocks:
      - block: b1
        nodes: n[1-2]
- topology: cube
  torus3d:
    toruses:
      - name: pod
        dims: {x: 2, y: 3, z: 1}
        nodes: a0,b0,a1,b1,a2,b2
"""
IBNETDISCOVER = """\
ibwarn: [17] _do_madrpc: recv failed: Connection timed out
#
# Topology file: generated on Mon Jan  5 10:00:00 2026
#
# Initiated from node 00000000000000a1 port 00000000000000b1

vendid=0x2c9
devid=0xd2f0
sysimgguid=0x51
switchguid=0x51(51)
Switch\t40 "S-0000000000000051"\t\t# "leaf one" enhanced port 0 lid 1 lmc 0
[1]\t"H-00000000000000a1"[1](b1) \t\t# "a HCA-1" lid 11 4xHDR
[2]\t"H-00000000000000a3"[1](b3) \t\t# "b mlx5_0" lid 13 2xHDR
[39]\t"S-0000000000000061"[1]\t\t# "spine" lid 3 4xHDR
[40]\t"S-0000000000000061"[2]\t\t# "spine" lid 3 4xHDR

vendid=0x2c9
devid=0xd2f0
sysimgguid=0x52
switchguid=0x52(52)
Switch\t40 "S-0000000000000052"\t\t# "leaf two" enhanced port 0 lid 2 lmc 0
[1]\t"H-00000000000000a2"[1](b2) \t\t# "a HCA-2" lid 12 4xHDR
[2]\t"H-00000000000000a4"[2](b4) \t\t# "storage target" lid 14 4xEDR s=32 w=2 v=4
[40]\t"S-0000000000000061"[3]\t\t# "spine" lid 3 4xHDR

vendid=0x2c9
devid=0xd2f0
switchguid=0x61(61)
Switch\t40 "S-0000000000000061"\t\t# "spine" enhanced port 0 lid 3 lmc 0
[1]\t"S-0000000000000051"[39]\t\t# "leaf one" lid 1 4xHDR
[2]\t"S-0000000000000051"[40]\t\t# "leaf one" lid 1 4xHDR
[3]\t"S-0000000000000052"[40]\t\t# "leaf two" lid 2 4xHDR
[4]\t"R-0000000000000071"[1](72) \t\t# "router" lid 4 4xFDR
[41]\t"H-00000000000000c1"[1](c2) \t\t# "Mellanox Technologies Aggregation Node" lid 20 4xHDR

vendid=0x2c9
devid=0x101b
sysimgguid=0xa1
caguid=0xa1
Ca\t1 "H-00000000000000a1"\t\t# "a HCA-1"
[1](b1) \t"S-0000000000000051"[1]\t\t# lid 11 lmc 0 "leaf one" lid 1 4xHDR

caguid=0xa2
Ca\t1 "H-00000000000000a2"\t\t# "a HCA-2"
[1](b2) \t"S-0000000000000052"[1]\t\t# lid 12 lmc 0 "leaf two" lid 2 4xHDR

caguid=0xa3
Ca\t1 "H-00000000000000a3"\t\t# "b mlx5_0"
[1](b3) \t"S-0000000000000051"[2]\t\t# lid 13 lmc 0 "leaf one" lid 1 2xHDR

caguid=0xa4
Ca\t2 "H-00000000000000a4"\t\t# "storage target"
[2](b4) \t"S-0000000000000052"[2]\t\t# lid 14 lmc 0 "leaf two" lid 2 4xEDR s=32 w=2 v=4

caguid=0xc1
Ca\t1 "H-00000000000000c1"\t\t# "Mellanox Technologies Aggregation Node"
[1](c2) \t"S-0000000000000061"[41]\t\t# lid 20 lmc 0 "spine" lid 3 4xHDR

rtguid=0x71
Rt\t1 "R-0000000000000071"\t\t# "router"
[1](72) \t"S-0000000000000061"[4]\t\t# lid 4 lmc 0 "spine" lid 3 4xFDR
"""
NCCL = """\
<system version="1">
  <cpu numaid="0" affinity="ff" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85">
    <pci busid="0000:10:00.0" class="0x060400" link_speed="16.0 GT/s PCIe" link_width="16">
      <pci busid="0000:11:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="70">
          <nvlink target="0000:12:00.0" count="2" tclass="0x030200"/>
        </gpu>
      </pci>
      <pci busid="0000:12:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16">
        <gpu dev="1" sm="70">
          <nvlink target="0000:11:00.0" count="2" tclass="0x030200"/>
        </gpu>
      </pci>
      <pci busid="0000:13:00.0" class="0x020000" link_speed="8.0 GT/s PCIe" link_width="8">
        <nic>
          <net name="mlx5_0" dev="0" speed="200000" port="1" guid="0xa1" maxconn="131072" gdr="1"/>
        </nic>
      </pci>
    </pci>
  </cpu>
  <cpu numaid="1" affinity="ff00" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85">
    <pci busid="0000:20:00.0" class="0x030200" link_speed="" link_width="0">
      <gpu dev="2" sm="80">
        <nvlink target="fffffff:ffff:ff" count="4" tclass="0x068000"/>
      </gpu>
    </pci>
  </cpu>
</system>
"""
MESH_GRAPH = """\
# Two meshes of 2 x 3 devices, and a switch.
mesh_descriptors {
  name: "M0"
  arch: BLACKHOLE
  device_topology { dims: [ 2, 3 ] dim_types: [ RING, RING ] }
  host_topology { dims: [ 1, 1 ] }
  channels { count: 2 policy: STRICT }
  express_connections { src: 0 dst: 5 }
}
switch_descriptors: <
  name: 'S' 'W'; arch: BLACKHOLE
  device_topology { dims: 1 dims: 1 }
  channels { count: 1 }
>
graph_descriptors {
  name: "G0"
  type: "FABRIC"
  instances { mesh { mesh_descriptor: "M0" mesh_id: 0 } }
  instances { mesh { mesh_descriptor: "M0" mesh_id: 1 } }
  instances { switch { switch_descriptor: "SW" switch_id: 7 } }
  connections {
    nodes { mesh { mesh_descriptor: "M0" mesh_id: 0 device_id: 5 } }
    nodes { mesh { mesh_descriptor: "M0" mesh_id: 1 device_id: 0 } }
    channels { count: 4 policy: RELAXED }
    assign_z_direction: true
  }
  connections {
    nodes { mesh { mesh_descriptor: "M0" mesh_id: 0 device_id: 2 } }
    nodes { switch { switch_descriptor: "SW" switch_id: 7 } }
    channels { count: 1 }
  }
  connections {
    nodes { mesh { mesh_descriptor: "M0" mesh_id: 1 device_id: 2 } }
    nodes { switch { switch_descriptor: "SW" switch_id: 7 device_id: 0 } }
    channels { count: 1 }
    directional: false
  }
}
top_level_instance { graph { graph_descriptor: "G0" graph_id: 0 } }
pinnings {
  logical_fabric_node_id { mesh_id: 0 chip_id: 0 }
  physical_asic_position { tray_id: 1 asic_location: 3 }
}
"""
SINGLE = """\
mesh_descriptors {
  name: "M" arch: WORMHOLE_B0
  device_topology { dims: [ 1, 1 ] }
  host_topology { dims: [ 1, 1 ] }
  channels { count: 1 }
}
"""
NESTED_MESH_GRAPH = (
    SINGLE
    + """\
graph_descriptors {
  name: "POD" type: "POD"
  instances { mesh { mesh_descriptor: "M" mesh_id: 0 } }
  instances { mesh { mesh_descriptor: "M" mesh_id: 1 } }
  graph_topology { layout_type: ALL_TO_ALL channels { count: 1 } }
}
graph_descriptors {
  name: "ALL" type: "CLUSTER"
  instances { graph { graph_descriptor: "POD" graph_id: 0 } }
  instances { graph { graph_descriptor: "POD" graph_id: 1 } }
  connections {
    nodes { graph { graph_descriptor: "POD" graph_id: 0 mesh { mesh_descriptor: "M" mesh_id: 1 } } }
    nodes { graph { graph_descriptor: "POD" graph_id: 1 mesh { mesh_descriptor: "M" mesh_id: 0 device_id: 0 } } }
    channels { count: 2 }
    directional: true
  }
}
top_level_instance { graph { graph_descriptor: "ALL" graph_id: 0 } }
"""
)


def mesh_graph_of_single_devices(count: int, layout: str) -> str:
    """A graph of meshes of one device each."""
    instances = "\n".join(f'instances {{ mesh {{ mesh_descriptor: "M" mesh_id: {m} }} }}' for m in range(count))
    graph = f'graph_descriptors {{\nname: "G" type: "FABRIC"\n{instances}\n{layout}\n}}\n'
    return SINGLE + graph + 'top_level_instance { graph { graph_descriptor: "G" graph_id: 0 } }\n'


ALL = {
    "tree.conf": SLURM_TREE,
    "blocks.conf": SLURM_BLOCKS,
    "topology.yaml": SLURM_YAML,
    "fabric.txt": IBNETDISCOVER,
    "topo.xml": NCCL,
    "mgd.textproto": MESH_GRAPH,
}
FORMAT = {
    "tree.conf": "slurm-conf",
    "blocks.conf": "slurm-conf",
    "topology.yaml": "slurm-yaml",
    "fabric.txt": "ibnetdiscover",
    "topo.xml": "nccl",
    "mgd.textproto": "mesh-graph",
}

#: Sample, what is replaced, by what, and what is then said.
BAD = [
    ("tree.conf", "leaf[0-1]", "leaf[0-2]", "tree.conf, line 4: switch leaf2 is below another one, but not described"),
    ("tree.conf", "Switches=leaf[0-1]", "Switches=top", "tree.conf, line 4: switch top is below itself"),
    ("tree.conf", "SwitchName=top", "Switch=top", "tree.conf, line 4"),
    ("tree.conf", "SwitchName=leaf1", "SwitchName=leaf0", "line 3: switch leaf0 is described twice"),
    ("tree.conf", "Nodes=n[3-4]", "Nodes=top", "'top' is there already"),
    ("blocks.conf", "BlockSizes=2,4", "BlockSizes=2,5", "expected each to be a multiple"),
    ("blocks.conf", "BlockSizes=2,4", "BlockSizes=2,2", "expected each to be a multiple"),
    ("blocks.conf", "n[2-3]", "n[1-2]", "'n1' is there already"),
    ("topology.yaml", "- block: b1", "- blok: b1", "each with 'block:'"),
    ("topology.yaml", "    block_sizes: [2]", "    block_sizes: [two]", "topology rack: block size 'two'"),
    ("topology.yaml", "  block:", "  ring:", "topology rack: is ring: expected a tree, blocks or torus3d"),
    ("topology.yaml", "tree:", "tree: [", "topology.yaml: cannot be read"),
    ("fabric.txt", '[2]\t"H-00000000000000a3"[1]', '[2]\t"H-00000000000000a3"[4]', "to agree"),
    ("fabric.txt", "lid 13 2xHDR", "lid 13 4x???", "line 13: "),
    ("fabric.txt", "4xFDR", "4x???", "'4x???': expected lanes and a speed"),
    ("fabric.txt", "4xHDR\n[2]", "4xHDR extra 4xGDR\n[2", "fabric.txt, line 13"),
    ("fabric.txt", "caguid=0xa3\nCa", "caguid=0xa3\nNic", "fabric.txt, line 48: 'Nic"),
    ("fabric.txt", 'Rt\t1 "R-0000000000000071"\t\t# "router"\n', "", "port 1 of H-00000000000000c1 is described twice"),
    ("fabric.txt", '[40]\t"S-0000000000000061"[2]', '[39]\t"S-0000000000000061"[2]', "line 15: port 39"),
    ("fabric.txt", 'Switch\t40 "S-0000000000000052"', 'Switch\t40 "S-0000000000000051"', "described twice"),
    ("topo.xml", '<system version="1">', '<system version="2">', "line 1: version 2: expected 1"),
    ("topo.xml", "<system", "<systems", "line 1: <systems>: expected <system>"),
    ("topo.xml", '<gpu dev="0"', '<tpu dev="0"', "line 5: <tpu> in <pci>: expected <gpu>, <nic>"),
    ("topo.xml", "</system>", "", "not XML"),
    ("topo.xml", '0000:12:00.0" count', '0000:77:00.0" count', "line 6: target 0000:77:00.0: expected the busid"),
    ("topo.xml", 'count="2"', 'count="two"', "line 6: count = 'two': expected a whole number"),
    ("topo.xml", 'tclass="0x030200"', 'tclass="0x120000"', "line 6: tclass '0x120000'"),
    ("topo.xml", 'sm="70"', "", "line 5: <gpu> has no sm"),
    ("topo.xml", "16.0 GT/s", "17.0 GT/s", "line 3: link_speed = '17.0 GT/s PCIe': expected one of 2.5"),
    ("topo.xml", 'vendor="GenuineIntel"', 'vendor="Other"', "line 2: arch 'x86_64', vendor 'Other'"),
    ("mgd.textproto", "device_id: 5 }", "}", "line 22: mesh 0: which of its devices is linked is not stated"),
    ("mgd.textproto", "device_id: 5 }", "device_id: 6 }", "line 22: device_id 6: expected a device below 6"),
    ("mgd.textproto", "dims: [ 2, 3 ]", "dims: [ 2, 0 ]", "line 5: dims: 0: expected a whole number"),
    ("mgd.textproto", "[ RING, RING ]", "[ RING, TORUS ]", "line 5: TORUS: expected LINE or RING"),
    ("mgd.textproto", "channels { count: 2 policy: STRICT }", "", "expected channels { count: N }"),
    ("mgd.textproto", "express_connections {", "express_links {", "line 8: express_links in mesh_descriptors"),
    ("mgd.textproto", "dst: 5", "dst: 0", "line 8: src 0, dst 0: expected two devices below 6"),
    ("mgd.textproto", 'graph_descriptor: "G0"', 'graph_descriptor: "G1"', "graph_descriptor 'G1': expected one of"),
    ("mgd.textproto", "mesh_id: 1 } }", "mesh_id: 0 } }", "number 0 is there already"),
    ("mgd.textproto", "top_level_instance {", "{", "expected the name of a field"),
    ("mgd.textproto", "dims: [ 2, 3 ]", "dims [ 2, 3 ", "expected"),
    ("mgd.textproto", "count: 4", "count 4", "line 24: '4': expected ':' or '{'"),
    ("mgd.textproto", 'type: "FABRIC"', 'type: "FABRIC', "expected a field or a value"),
]
