"""What the operating system of a host says of itself."""

from __future__ import annotations

from scenarios.troubleshooting.console.command import EVERYWHERE, LINUX, NODE, SWITCH, Command
from scenarios.troubleshooting.console.host.clock import chronyc, date, timedatectl
from scenarios.troubleshooting.console.host.devices import lsmod, lspci
from scenarios.troubleshooting.console.host.ethtool import ethtool
from scenarios.troubleshooting.console.host.lookup import dig, getent, nslookup
from scenarios.troubleshooting.console.host.memory import free, numactl, numastat
from scenarios.troubleshooting.console.host.network import ip, nstat
from scenarios.troubleshooting.console.host.ping import ping
from scenarios.troubleshooting.console.host.processes import pgrep, ps, taskset
from scenarios.troubleshooting.console.host.system import (
    cpupower,
    hostname,
    lscpu,
    nproc,
    sysctl,
    systemctl,
    tuned_adm,
    uname,
    uptime,
    w,
    who,
)
from scenarios.troubleshooting.console.host.top import htop, top
from scenarios.troubleshooting.console.host.tracing import perf, py_spy, strace
from scenarios.troubleshooting.console.host.vmstat import vmstat

COMMANDS = {
    "uptime": Command(uptime, LINUX, "How long a host has been up, and its load."),
    "free": Command(free, LINUX, "Memory: -m, -g, -h."),
    "ps": Command(ps, LINUX, "Processes: aux, -ef, -eo user,pid,etime,pcpu,args --sort=-pcpu."),
    "top": Command(top, LINUX, "One page of the busiest processes: top -bn1."),
    "htop": Command(htop, LINUX, "The same with bars, as its first screen."),
    "strace": Command(strace, LINUX, "System calls of a process; of others' only root may."),
    "perf": Command(perf, LINUX, "Profiles and counters of the processor; they need root."),
    "py-spy": Command(py_spy, (NODE,), "Stacks of a Python process; of others' only root may."),
    "pgrep": Command(pgrep, LINUX, "Numbers of processes: pgrep -f train.py."),
    "taskset": Command(taskset, (NODE,), "CPUs on which a process may run: taskset -cp PID."),
    "numactl": Command(numactl, (NODE,), "Sockets, their CPUs and memory: numactl -H."),
    "numastat": Command(
        numastat, (NODE,), "Memory by socket: numastat, numastat -p PID or train.py."
    ),
    "vmstat": Command(vmstat, LINUX, "Memory, swapping and CPU in one line."),
    "lscpu": Command(lscpu, (NODE,), "The processors of a node and their sockets."),
    "cpupower": Command(cpupower, (NODE,), "Clock and governor: cpupower frequency-info."),
    "tuned-adm": Command(tuned_adm, (NODE,), "The tuning profile: tuned-adm active."),
    "lspci": Command(lspci, (NODE,), "PCI devices; -vvv with links and access control."),
    "lsmod": Command(lsmod, (NODE,), "Loaded kernel modules."),
    "ip": Command(ip, EVERYWHERE, "Network interfaces: ip link, ip -s link, ip addr, ip route."),
    "ethtool": Command(
        ethtool, EVERYWHERE, "An interface: ethtool DEV, -i DEV, -S DEV for counters."
    ),
    "nstat": Command(nstat, (NODE,), "Counters of TCP: nstat -az TcpRetransSegs."),
    "ping": Command(
        ping,
        LINUX,
        "Whether a host answers, and a large frame passes: ping -M do -s 8972 -c 3 HOST.",
    ),
    "getent": Command(getent, LINUX, "Names: getent hosts NAME, getent passwd USER."),
    "dig": Command(dig, LINUX, "Asks a name server: dig NAME, dig @SERVER NAME."),
    "nslookup": Command(nslookup, LINUX, "Asks a name server, in short: nslookup NAME."),
    "chronyc": Command(
        chronyc, LINUX, "The clock's discipline: chronyc tracking, chronyc sources."
    ),
    "timedatectl": Command(timedatectl, (NODE,), "A node's clock and time zone."),
    "date": Command(
        date, EVERYWHERE, "The instant at which time stands still, on this host's clock."
    ),
    "systemctl": Command(systemctl, LINUX, "Units: --failed, status UNIT, is-active UNIT."),
    "sysctl": Command(sysctl, (NODE,), "Kernel settings: sysctl NAME, sysctl -a."),
    "hostname": Command(
        hostname, EVERYWHERE, "The host's name; -f with its domain, -I its addresses."
    ),
    "uname": Command(uname, EVERYWHERE, "The kernel: -a, -r."),
    "nproc": Command(nproc, EVERYWHERE, "How many CPUs there are."),
    "who": Command(who, EVERYWHERE, "Who is logged in."),
    "w": Command(w, (*LINUX, SWITCH), "Who is logged in, and the load."),
}
