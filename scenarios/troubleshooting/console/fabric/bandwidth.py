"""`ib_write_bw`: what one adapter gets through from this node to another, from host or from GPU memory."""

from __future__ import annotations

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.console.command import Call, Failed, joined
from scenarios.troubleshooting.console.options import MAYBE, NONE, ONE, Grammar, whole
from scenarios.troubleshooting.console.site import Site
from scenarios.troubleshooting.plant import Node
from scenarios.troubleshooting.texts.smi_state import value

_GRAMMAR = Grammar(
    "ib_write_bw",
    "abFhRVN",
    "dinspDmqtxcQ",
    {
        "ib-dev": ("d", ONE),
        "ib-port": ("i", ONE),
        "iters": ("n", ONE),
        "size": ("s", ONE),
        "all": ("a", NONE),
        "bidirectional": ("b", NONE),
        "report_gbits": ("gbits", NONE),
        "use_cuda": ("cuda", MAYBE),
        "CPU-freq": ("F", NONE),
        "duration": ("D", ONE),
        "help": ("h", NONE),
        "version": ("V", NONE),
        "port": ("p", ONE),
        "use_cuda_dmabuf": ("dmabuf", NONE),
        "rdma_cm": ("R", NONE),
    },
    "Run 'ib_write_bw --help' for usage.",
)
_PAYLOAD = 0.98
"""Part of a port's rate that large writes reach."""
_RULE = "-" * 87


def ib_write_bw(call: Call) -> str:
    asked = _GRAMMAR.read(call.args)
    site, node = call.site, call.site.nodes[call.host]
    if asked.has("h"):
        return "Usage:\n  ib_write_bw <host>     connect to server at <host>\n"
    device = asked.get("d") or "mlx5_0"
    hca = next((one for one in node.hcas if one.device == device), None)
    if hca is None:
        raise Failed(f"IB device {device} not found\n Unable to find the Infiniband/RoCE device")
    if not asked.rest:
        raise Failed("Waiting for client to connect: name the other node as the last word instead")
    peer = site.nodes.get(asked.rest[0].partition(".")[0])
    if peer is None:
        raise Failed(f"Couldn't connect to {asked.rest[0]}:18515")
    index = whole(asked.get("cuda"), -1) if asked.has("cuda") else None
    if index is not None and not 0 <= index < len(node.gpus):
        raise Failed("Couldn't init CUDA\ninvalid device ordinal")
    gbytes = _rate(site, node, peer, hca.index, index)
    draw = Stream(site.incident.seed, f"bw {call.host} {peer.name} {device} {index}")
    return _printed(device, gbytes * draw.between(0.985, 0.995), gbytes, asked.has("gbits"))


def _rate(site: Site, node: Node, peer: Node, hca: int, index: int | None) -> float:
    """GB/s: the port's own rate, or what the way to the GPU's memory on either side leaves of it."""
    at = site.looked_ms
    most = site.incident.plant.port_gbps / 8 * _PAYLOAD
    if index is None:
        return most
    found = [most]
    for end, gpu in ((node, index), (peer, hca)):
        found.append(value(site.incident, end.name, "gdr_gbytes", at))
        near = gpu if end is node else hca
        found.append(value(site.incident, end.hcas[near].name, "path_gbytes", at))
    return min(found)


def _printed(device: str, average: float, peak: float, gbits: bool) -> str:
    factor, unit = (8.0, "Gb/sec") if gbits else (1e9 / 2**20, "MB/sec")
    rate = average * 1e9 / 65_536 / 1e6
    return joined(
        [
            _RULE,
            "                    RDMA_Write BW Test",
            f" Dual-port       : OFF\t\tDevice         : {device}",
            " Number of qps   : 1\t\tTransport type : IB",
            " Mtu             : 4096[B]",
            " Link type       : IB",
            _RULE,
            f" #bytes     #iterations    BW peak[{unit}]    BW average[{unit}]   MsgRate[Mpps]",
            f" 65536      5000             {peak * factor:.2f}            {average * factor:.2f}\t\t"
            f"   {rate:.6f}",
            _RULE,
        ]
    )
