"""The system calls a candidate's program may make, as data; knows no filter format.

The list was found by running CPython 3.11 with threads, subprocess, asyncio and numpy. What is
on neither list answers ENOSYS, so that libraries fall back to older calls by themselves.

All runs of a root read the same files, one copy in memory. So nothing is allowed that asks which of
their pages are in memory, drops them or reads them ahead, nor word of who opens or reads them.
"""

from __future__ import annotations

from typing import NamedTuple


class Rule(NamedTuple):
    """Allow a call when `argument & mask == value`; no mask means all 64 bits.

    `also` are further conditions on the same call, each (argument, value, mask).
    """

    name: str
    argument: int
    value: int
    mask: int | None = None
    also: tuple[tuple[int, int, int | None], ...] = ()

    @property
    def conditions(self) -> tuple[tuple[int, int, int | None], ...]:
        """All of them, each (argument, value, mask)."""
        return ((self.argument, self.value, self.mask), *self.also)


AF_UNIX = 1
# The kind of a socket is in the low four bits of its type; above them are O_CLOEXEC and O_NONBLOCK.
AF_INET, SOCK_STREAM, SOCK_KIND, IPPROTO_TCP = 2, 1, 0xF, 6
# CLONE_NEW* for mount, cgroup, uts, ipc, user, pid and net (linux/sched.h).
NEW_NAMESPACES = 0x7E020000
# TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX (asm-generic/ioctls.h).
_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
TIOCSPGRP = 0x5410

# F_DUPFD to F_SETLKW, the same locks for an open file (F_OFD_*), F_DUPFD_CLOEXEC, F_GETPIPE_SZ, F_ADD_SEALS
# and F_GET_SEALS (linux/fcntl.h). Not F_NOTIFY and F_SETLEASE, which tell what others do with a file, nor
# F_SETSIG and F_SETOWN, by which a program could have itself killed.
_FCNTL = (*range(8), 36, 37, 38, 1030, 1032, 1033, 1034)
# All but MADV_MERGEABLE, which lets the kernel share pages between processes, MADV_COLD and MADV_PAGEOUT,
# which take pages out of memory, and what acts on the machine (asm-generic/mman-common.h).
_MADVISE = (*range(5), *(8, 9, 10, 11), *range(14, 20), *(22, 23), *(102, 103))

CONDITIONAL = (
    # Exact by value: a deny-list would miss an argument with its high bits set.
    Rule("socket", 0, AF_UNIX),
    Rule("socketpair", 0, AF_UNIX),
    *(Rule("fcntl", 1, command) for command in _FCNTL),
    *(Rule("madvise", 2, advice) for advice in _MADVISE),
    # RWF_NOWAIT tells whether a page is in memory, RWF_DONTCACHE drops it.
    Rule("preadv2", 5, 0),
    Rule("pwritev2", 5, 0),
    Rule("clone", 0, 0, NEW_NAMESPACES),
    Rule("prlimit64", 0, 0),
    *(Rule("ioctl", 1, request) for request in _IOCTLS),
)

# Only on a root that says so: make a terminal of one's own in the run's own /dev/pts, set it up and move
# jobs in it between foreground and background. Still not TIOCSTI and TIOCLINUX, which type into one.
# TCSETS, TCSETSW, TCSETSF, TCSBRK, TCXONC, TCFLSH, TIOCGPGRP, TIOCSPGRP, TIOCSWINSZ,
# TIOCGSID, TIOCGPTN, TIOCSPTLCK (asm-generic/ioctls.h).
TERMINAL = tuple(
    Rule("ioctl", 1, request)
    for request in (
        *(0x5402, 0x5403, 0x5404, 0x5409, 0x540A, 0x540B, 0x540F, TIOCSPGRP, 0x5414),
        *(0x5429, 0x8004_5430, 0x4004_5431),
    )
)

# Only on a root that holds a cluster's daemons: they speak TCP with each other, in a network of the run's own
# in which nothing else is. No datagrams, no raw sockets, no other protocol of streams, and no netlink.
CLUSTER = tuple(
    Rule("socket", 0, AF_INET, None, ((1, SOCK_STREAM, SOCK_KIND), (2, protocol, None)))
    for protocol in (0, IPPROTO_TCP)
)
# There daemons hand files to their jobs' users, and take on their identities, before they begin. Here all are
# one user, so there is nothing to hand over: it is answered as if done, and the kernel never sees the call.
AS_IF_DONE = (
    *("chown", "fchown", "lchown", "fchownat"),
    *("setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid"),
    # sed and vi keep attributes of a file that they write anew, and would complain of each.
    *("setxattr", "lsetxattr", "fsetxattr"),
)

# Only for a run that was lent a card. nvidia.ko numbers its requests under the letter 'F', nvidia-uvm.ko
# plainly from 1 on (its tests from 200) and two by value: nv-ioctl.h, uvm_ioctl.h, uvm_linux_ioctl.h
# of NVIDIA's open kernel modules. Terminals' requests (0x54..) stay refused.
NVIDIA = (
    Rule("ioctl", 1, ord("F") << 8, 0xFF00),
    Rule("ioctl", 1, 0, 0xFFFF_FFFF_FFFF_FF80),
    Rule("ioctl", 1, 0x3000_0001),
    Rule("ioctl", 1, 0x3000_0002),
    # What the driver's library waits on; a card serves one run at a time.
    *(Rule(name, 0, 0, 0) for name in ("eventfd2", "epoll_create1")),
)

# Nothing that makes an epoll, eventfd, timerfd or signalfd: the kernel has one file for all of them, on which
# locks of all runs would meet. Python's selectors use poll instead. To wait on an epoll is allowed: Docker's
# runtime still does so on its own when the list is in force.
ALLOWED = tuple(
    """
    read write readv writev pread64 pwrite64 preadv pwritev open openat creat close close_range lseek
    stat fstat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat getdents
    getdents64 getcwd chdir fchdir mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2
    link linkat symlink symlinkat chmod fchmod fchmodat truncate ftruncate fallocate fsync
    fdatasync utime utimes utimensat futimesat umask statfs fstatfs dup dup2 dup3 pipe pipe2 flock
    poll ppoll select pselect6 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 mmap munmap mremap
    mprotect msync brk mlock munlock memfd_create membarrier rt_sigaction rt_sigprocmask
    rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_tgsigqueueinfo rt_sigsuspend
    sigaltstack pause alarm setitimer getitimer kill tkill tgkill fork vfork execve execveat exit
    exit_group wait4 waitid getpid getppid gettid getuid geteuid getgid getegid getgroups getresuid
    getresgid getpgrp getpgid setpgid getsid setsid nanosleep clock_nanosleep clock_gettime
    clock_getres gettimeofday time times getrusage sysinfo uname getrlimit sched_yield
    sched_getaffinity sched_setaffinity sched_getparam sched_getscheduler sched_get_priority_max
    sched_get_priority_min getcpu getpriority futex futex_waitv set_robust_list get_robust_list
    set_tid_address arch_prctl rseq prctl getrandom restart_syscall sendto recvfrom sendmsg recvmsg
    sendmmsg recvmmsg shutdown getsockname getpeername getsockopt setsockopt connect bind listen
    accept accept4 copy_file_range sendfile splice tee getxattr lgetxattr fgetxattr listxattr
    """.split()
)

# Refused with EPERM, so that a program sees a permission and not a missing kernel.
REFUSED = tuple(
    """
    ptrace process_vm_readv process_vm_writev kcmp pidfd_open pidfd_getfd pidfd_send_signal mount
    umount2 pivot_root chroot unshare setns open_tree move_mount fsopen fsconfig fsmount fspick
    mount_setattr keyctl add_key request_key bpf perf_event_open userfaultfd io_uring_setup
    io_uring_enter io_uring_register init_module finit_module delete_module kexec_load
    kexec_file_load reboot swapon swapoff setuid setgid setreuid setregid setresuid setresgid
    setgroups setfsuid setfsgid capset chown fchown lchown fchownat mknod mknodat settimeofday
    clock_settime clock_adjtime adjtimex sethostname setdomainname iopl ioperm acct quotactl
    quotactl_fd syslog vhangup name_to_handle_at open_by_handle_at fanotify_init fanotify_mark
    lookup_dcookie move_pages migrate_pages mbind set_mempolicy get_mempolicy personality
    modify_ldt uselib nfsservctl ustat sysfs _sysctl shmget shmat shmctl shmdt semget semop semctl
    semtimedop msgget msgsnd msgrcv msgctl mq_open mq_unlink mq_timedsend mq_timedreceive
    mq_notify mq_getsetattr setpriority sched_setscheduler sched_setparam sched_setattr ioprio_set
    setrlimit landlock_create_ruleset process_madvise process_mrelease memfd_secret setxattr
    lsetxattr fsetxattr removexattr
    """.split()
)

# Advice about pages in memory, answered as if taken: callers may not expect it to be, nor to fail.
IGNORED = ("fadvise64", "readahead")

# The container runtime itself makes these after the filter is loaded and before the program runs.
RUNTIME_NEEDS = (
    *("capget", "capset", "setuid", "setgid", "setresuid", "setresgid", "setgroups"),
    *("prctl", "fchown"),
)
