/**
 * Attempts to escape a sandbox. Each is a shell script that exits with 0 on success. Those with `isOpenOutside` succeed without a
 * sandbox, which proves that the sandbox blocks them. Environment: OUTSIDE (a folder beside the run's, with a file `secret`), PORT and
 * UDP_PORT (a listener on the host's loopback), ABSTRACT (one on an abstract socket), SLEEPER (a host process with a secret in its
 * environment and an open file), GIT (the run's repository folder), NOTES (the worker's folder for the agent), PTRACE (the number of that
 * system call).
 */
export interface Escape {
  readonly what: string;
  readonly script: string;
  readonly isOpenOutside?: true;
}

const node = (program: string) => `"$NODE" -e '${program}'`;

export const ESCAPES: readonly Escape[] = [
  {
    what: "a connection to a service of the host on its loopback",
    script: node(
      'require("net").connect(+process.env.PORT, "127.0.0.1", () => process.exit(0)).on("error", () => process.exit(1))',
    ),
    isOpenOutside: true,
  },
  {
    what: "a datagram to a service of the host",
    script: node(
      's = require("dgram").createSocket("udp4"); s.on("message", () => process.exit(0)); s.on("error", () => process.exit(1)); s.send("x", +process.env.UDP_PORT, "127.0.0.1"); setTimeout(() => process.exit(1), 300)',
    ),
    isOpenOutside: true,
  },
  {
    what: "an abstract unix socket of the host",
    script: node(
      'require("net").connect({ path: "\\0" + process.env.ABSTRACT }, () => process.exit(0)).on("error", () => process.exit(1))',
    ),
    isOpenOutside: true,
  },
  {
    what: "a unix socket of the host in the file system",
    script: node(
      'require("net").connect({ path: process.env.OUTSIDE + "/socket" }, () => process.exit(0)).on("error", () => process.exit(1))',
    ),
    isOpenOutside: true,
  },
  { what: "a network device besides loopback", script: "test $(tail -n +3 /proc/net/dev | grep -vc '^ *lo:') -gt 0" },
  { what: "a file of the host", script: 'cat "$OUTSIDE/secret"', isOpenOutside: true },
  { what: "a file beside the run's folders", script: "cat ../beside", isOpenOutside: true },
  {
    what: "a file of the host through a symbolic link",
    script: 'ln -s "$OUTSIDE" out; cat out/secret',
    isOpenOutside: true,
  },
  { what: "a hard link to a file of the system", script: "ln /usr/bin/env hard" },
  { what: "the passwords of the machine", script: "cat /etc/shadow" },
  {
    what: "a write to the host through a symbolic link",
    script: 'ln -s "$OUTSIDE" way; echo x > way/written',
    isOpenOutside: true,
  },
  {
    what: "a write to the programs of the system",
    script: "touch /usr/bin/written || rm -f /usr/bin/env || test ! -e /usr/bin/env",
  },
  {
    what: "a write to the frame of the sandbox",
    script: "touch /written || touch /dev/written || touch /etc/written || touch /run/written",
  },
  { what: "a hook in the repository folder", script: 'echo "#!/bin/sh" > "$GIT/hook"', isOpenOutside: true },
  { what: "settings of the repository folder", script: 'echo "[core]" >> "$GIT/config"', isOpenOutside: true },
  {
    what: "a link where the worker will write a prompt",
    script: 'ln -s "$OUTSIDE/secret" "$NOTES/prompt-2.md"',
    isOpenOutside: true,
  },
  {
    what: "the secrets in the environment of another process",
    script: "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep '^PLANTED_TOKEN='",
    isOpenOutside: true,
  },
  {
    what: "a look at the processes of the host",
    script: 'test -d "/proc/$SLEEPER" && grep -q PLANTED "/proc/$SLEEPER/environ"',
    isOpenOutside: true,
  },
  {
    what: "a signal to a process of the host",
    script: 'kill -0 "$SLEEPER" && grep -q sleep "/proc/$SLEEPER/cmdline"',
    isOpenOutside: true,
  },
  {
    what: "the memory of a process of the host",
    script: 'head -c 1 "/proc/$SLEEPER/maps" && grep -q sleep "/proc/$SLEEPER/cmdline"',
    isOpenOutside: true,
  },
  {
    what: "ptrace of a process of the host",
    script: "perl -e 'exit(syscall($ENV{PTRACE}, 16, $ENV{SLEEPER}+0, 0, 0) == 0 ? 0 : 1)'",
  },
  { what: "a mount", script: "mount -t tmpfs none /tmp || mount --bind / /tmp" },
  { what: "the system made writable again", script: "mount -o remount,rw /usr || mount -o remount,bind,rw /usr" },
  {
    what: "rights in a user namespace of its own",
    script: "unshare --user --map-root-user true || unshare --mount true",
  },
  {
    what: "the namespaces of the first process",
    script: 'nsenter --target 1 --mount --net true || nsenter --target "$SLEEPER" --mount true',
  },
  { what: "another root", script: "chroot /usr true" },
  { what: "a device node of a disk", script: "mknod disk b 8 0 || mknod memory c 1 1" },
  {
    what: "the disks and the memory of the machine",
    script: "ls /dev | grep -E '^(sd|vd|nvme|mem|kmsg|kvm|fuse|loop|dm-)'",
  },
  {
    what: "settings of the kernel",
    script:
      "cat /proc/sys/kernel/core_pattern > kept; cat kept > /proc/sys/kernel/core_pattern || echo 0 > /proc/sys/vm/drop_caches || echo h > /proc/sysrq-trigger",
  },
  {
    what: "files of the kernel that root alone may read",
    script:
      'test -n "$(head -c 8 /proc/kcore)" || test -n "$(head -c 8 /proc/vmallocinfo)" || test -n "$(head -c 8 /proc/slabinfo)"',
  },
  { what: "the control groups and devices under /sys", script: "ls /sys/fs/cgroup || ls /sys/class" },
  { what: "the name and the clock of the machine", script: "hostname written || date -s 2001-01-01" },
  {
    what: "a right that a program of the system has",
    script: "grep -q '^NoNewPrivs:.0' /proc/self/status || grep -Eq '^Cap(Eff|Prm|Bnd):.*[1-9a-f]' /proc/self/status",
  },
  {
    what: "a file that the worker has open",
    script: `ls -l /proc/[0-9]*/fd | grep -F "$OUTSIDE"`,
    isOpenOutside: true,
  },
  { what: "the worker's terminal", script: "test -t 0 || (exec 3<>/dev/tty)" },
];
