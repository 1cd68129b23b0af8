/**
 * Attempts to escape a sandbox. Each is a shell script that exits with 0 on success. Those with `succeedsUnsandboxed` succeed without a
 * sandbox, which proves that the sandbox blocks them. Environment: OUTSIDE (a folder beside the run's, with a file `secret`), PORT and
 * UDP_PORT (a listener on the host's loopback), ABSTRACT (one on an abstract socket), SLEEPER (a host process with a secret in its
 * environment and an open file), GIT (the run's repository folder), NOTES (the worker's folder for the agent), PTRACE (the number of that
 * system call).
 */
export interface Escape {
  readonly what: string;
  readonly script: string;
  readonly succeedsUnsandboxed?: true;
}

const node = (program: string) => `"$NODE" -e '${program}'`;

export const ESCAPES: readonly Escape[] = [
  {
    what: "a TCP connection to a service on the host's loopback",
    script: node(
      'require("net").connect(+process.env.PORT, "127.0.0.1", () => process.exit(0)).on("error", () => process.exit(1))',
    ),
    succeedsUnsandboxed: true,
  },
  {
    what: "a UDP datagram to a service on the host's loopback",
    script: node(
      's = require("dgram").createSocket("udp4"); s.on("message", () => process.exit(0)); s.on("error", () => process.exit(1)); s.send("x", +process.env.UDP_PORT, "127.0.0.1"); setTimeout(() => process.exit(1), 300)',
    ),
    succeedsUnsandboxed: true,
  },
  {
    what: "a connection to an abstract Unix socket of the host",
    script: node(
      'require("net").connect({ path: "\\0" + process.env.ABSTRACT }, () => process.exit(0)).on("error", () => process.exit(1))',
    ),
    succeedsUnsandboxed: true,
  },
  {
    what: "a connection to a Unix socket in the host's file system",
    script: node(
      'require("net").connect({ path: process.env.OUTSIDE + "/socket" }, () => process.exit(0)).on("error", () => process.exit(1))',
    ),
    succeedsUnsandboxed: true,
  },
  { what: "a network device besides loopback", script: "test $(tail -n +3 /proc/net/dev | grep -vc '^ *lo:') -gt 0" },
  { what: "reading a file of the host", script: 'cat "$OUTSIDE/secret"', succeedsUnsandboxed: true },
  { what: "reading a file beside the run's folders", script: "cat ../beside", succeedsUnsandboxed: true },
  {
    what: "reading a file of the host through a symbolic link",
    script: 'ln -s "$OUTSIDE" out; cat out/secret',
    succeedsUnsandboxed: true,
  },
  { what: "a hard link to a system file", script: "ln /usr/bin/env hard" },
  { what: "reading the host's password hashes", script: "cat /etc/shadow" },
  {
    what: "writing to the host through a symbolic link",
    script: 'ln -s "$OUTSIDE" way; echo x > way/written',
    succeedsUnsandboxed: true,
  },
  {
    what: "changing system programs",
    script: "touch /usr/bin/written || rm -f /usr/bin/env || test ! -e /usr/bin/env",
  },
  {
    what: "writing to the system folders of the sandbox",
    script: "touch /written || touch /dev/written || touch /etc/written || touch /run/written",
  },
  {
    what: "adding a hook to the repository folder",
    script: 'echo "#!/bin/sh" > "$GIT/hook"',
    succeedsUnsandboxed: true,
  },
  {
    what: "changing the settings of the repository folder",
    script: 'echo "[core]" >> "$GIT/config"',
    succeedsUnsandboxed: true,
  },
  {
    what: "a link where the worker will write a prompt",
    script: 'ln -s "$OUTSIDE/secret" "$NOTES/prompt-2.md"',
    succeedsUnsandboxed: true,
  },
  {
    what: "reading secrets in the environment of another process",
    script: "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep '^PLANTED_TOKEN='",
    succeedsUnsandboxed: true,
  },
  {
    what: "seeing the processes of the host",
    script: 'test -d "/proc/$SLEEPER" && grep -q PLANTED "/proc/$SLEEPER/environ"',
    succeedsUnsandboxed: true,
  },
  {
    what: "a signal to a process of the host",
    script: 'kill -0 "$SLEEPER" && grep -q sleep "/proc/$SLEEPER/cmdline"',
    succeedsUnsandboxed: true,
  },
  {
    what: "reading the memory of a process of the host",
    script: 'head -c 1 "/proc/$SLEEPER/maps" && grep -q sleep "/proc/$SLEEPER/cmdline"',
    succeedsUnsandboxed: true,
  },
  {
    what: "tracing a process of the host",
    script: "perl -e 'exit(syscall($ENV{PTRACE}, 16, $ENV{SLEEPER}+0, 0, 0) == 0 ? 0 : 1)'",
  },
  { what: "mounting a file system", script: "mount -t tmpfs none /tmp || mount --bind / /tmp" },
  {
    what: "remounting the system folders as writable",
    script: "mount -o remount,rw /usr || mount -o remount,bind,rw /usr",
  },
  {
    what: "gaining rights in a new user namespace",
    script: "unshare --user --map-root-user true || unshare --mount true",
  },
  {
    what: "entering the namespaces of another process",
    script: 'nsenter --target 1 --mount --net true || nsenter --target "$SLEEPER" --mount true',
  },
  { what: "changing the root folder", script: "chroot /usr true" },
  { what: "a device node of a disk", script: "mknod disk b 8 0 || mknod memory c 1 1" },
  {
    what: "seeing the host's disk and memory devices",
    script: "ls /dev | grep -E '^(sd|vd|nvme|mem|kmsg|kvm|fuse|loop|dm-)'",
  },
  {
    what: "changing kernel settings",
    script:
      "cat /proc/sys/kernel/core_pattern > kept; cat kept > /proc/sys/kernel/core_pattern || echo 0 > /proc/sys/vm/drop_caches || echo h > /proc/sysrq-trigger",
  },
  {
    what: "reading kernel files that only root may read",
    script:
      'test -n "$(head -c 8 /proc/kcore)" || test -n "$(head -c 8 /proc/vmallocinfo)" || test -n "$(head -c 8 /proc/slabinfo)"',
  },
  { what: "seeing the control groups and devices under /sys", script: "ls /sys/fs/cgroup || ls /sys/class" },
  { what: "setting the hostname or the clock", script: "hostname written || date -s 2001-01-01" },
  {
    what: "gaining privileges through a system program",
    script: "grep -q '^NoNewPrivs:.0' /proc/self/status || grep -Eq '^Cap(Eff|Prm|Bnd):.*[1-9a-f]' /proc/self/status",
  },
  {
    what: "seeing the open files of a host process",
    script: `ls -l /proc/[0-9]*/fd | grep -F "$OUTSIDE"`,
    succeedsUnsandboxed: true,
  },
  { what: "opening the worker's terminal", script: "test -t 0 || (exec 3<>/dev/tty)" },
];
