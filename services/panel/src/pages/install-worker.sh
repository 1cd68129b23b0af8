#!/bin/sh
# Installs a Triptych worker for one panel, and starts it. Served by that panel.
#
#   curl -fsSL PANEL/worker/install.sh | sh
#   curl -fsSL PANEL/worker/install.sh | PANEL_TOKEN=... sh -s -- --slots 4
#
# PANEL_TOKEN     worker key (license key); asked for on the terminal when it is unset
# PANEL_URL       address of the panel, where it differs from the configured one
# WORKER_SHA256   expected SHA-256 of the worker; the dashboard shows it
# WORKER_HOME     folder of the worker; ~/.triptych-worker when unset
# HTTPS_PROXY, HTTP_PROXY and NO_PROXY apply to the download and to the worker.
# Arguments are options of `triptych worker`, such as --name and --slots.
set -eu

configured=@PANEL@
panel=${PANEL_URL:-$configured}
panel=${panel%/}
served_sha256=@SHA256@

# Called on the last line: an interrupted download runs nothing.
main() {
  home=${WORKER_HOME:-${HOME:+$HOME/.triptych-worker}}
  key_file=$home/key
  check "$@"
  read_key
  umask 077
  mkdir -p "$home"
  work=$(mktemp -d "$home/download.XXXXXX")
  # An empty folder is what a failed first installation leaves.
  trap 'rm -rf "$work"; rmdir "$home" 2>/dev/null || true' EXIT
  trap 'exit 130' INT TERM
  download
  install_program "$@"
  start
}

# Every fault at once, before anything is written.
check() {
  faults=
  if [ -z "$home" ]; then fault "HOME is not set: set it, or set WORKER_HOME."; fi
  if ! command -v node >/dev/null 2>&1; then
    fault "Node.js is not installed: install Node.js 22.19 or newer."
  elif ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 22 || (a == 22 && b >= 19) ? 0 : 1)'; then
    fault "Node.js $(node --version) is too old: install Node.js 22.19 or newer."
  fi
  case $panel in
    http://*[!!-~]* | https://*[!!-~]*) fault "PANEL_URL is not an address." ;;
    http://?* | https://?*) ;;
    *) fault "PANEL_URL is not an http or https address." ;;
  esac
  for program in git curl tar mktemp nohup; do
    command -v "$program" >/dev/null 2>&1 || fault "$program is not installed: install it with the package manager of this system."
  done
  for argument in "$@"; do
    case $argument in
      --token | --token=*) fault "--token is refused, because the process list shows it: set PANEL_TOKEN." ;;
      --panel | --panel=* | --token-file | --token-file=*) fault "$argument is set by this script: remove it." ;;
    esac
  done
  case ${PANEL_TOKEN:-} in
    *[!!-~]*) fault "PANEL_TOKEN contains a character that no key has." ;;
    '') [ -s "$key_file" ] || has_terminal || fault "The worker key is missing: set PANEL_TOKEN. The dashboard shows the key under Account." ;;
  esac
  if [ -n "$faults" ]; then
    printf 'The worker was not installed:\n%s' "$faults" >&2
    exit 2
  fi
}

fault() {
  faults="$faults  - $1
"
}

# Standard input is this script when it is piped into sh.
has_terminal() {
  (: </dev/tty) 2>/dev/null
}

read_key() {
  key=${PANEL_TOKEN:-}
  # Neither curl nor git needs it in its environment.
  unset PANEL_TOKEN
  if [ -n "$key" ] || [ -s "$key_file" ]; then return; fi
  printf 'Worker key (it is not shown; the dashboard shows it under Account): ' >/dev/tty
  settings=$(stty -g </dev/tty)
  trap 'stty "$settings" </dev/tty' EXIT
  stty -echo </dev/tty
  IFS= read -r key </dev/tty || true
  stty "$settings" </dev/tty
  trap - EXIT
  printf '\n' >/dev/tty
  case $key in
    '' | *[!!-~]*) stop "This is not a worker key: nothing was installed." 2 ;;
  esac
}

download() {
  say "Downloading the worker from $panel"
  curl -fsSL --retry 3 -o "$work/worker.tgz" "$panel/worker/triptych-worker.tgz" ||
    stop "The download from $panel failed. Check the address and HTTPS_PROXY." 1
  expected=${WORKER_SHA256:-$served_sha256}
  actual=$(node -e 'process.stdout.write(require("crypto").createHash("sha256").update(require("fs").readFileSync(process.argv[1])).digest("hex"))' "$work/worker.tgz")
  if [ "$actual" != "$expected" ]; then
    stop "The SHA-256 of the download is $actual, but $expected was expected: nothing was installed." 1
  fi
  say "SHA-256 $actual"
}

install_program() {
  program=$home/program-$(printf %.12s "$actual")
  mkdir "$work/program"
  tar -xzf "$work/worker.tgz" -C "$work/program" || stop "The download could not be unpacked." 1
  rm -rf "$program"
  mv "$work/program" "$program"
  if [ -n "$key" ]; then
    # A shell builtin: no process list shows the key.
    printf '%s\n' "$key" >"$work/key"
    chmod 600 "$work/key"
    mv "$work/key" "$key_file"
  fi
  write_command "$@" >"$work/triptych-worker"
  chmod 700 "$work/triptych-worker"
  mv "$work/triptych-worker" "$home/triptych-worker"
  write_unit >"$home/triptych-worker.service"
}

# The command that this script and the service start. A service has no PATH of a shell.
write_command() {
  printf '#!/bin/sh\n'
  printf 'export PATH=%s\n' "$(quoted "$PATH")"
  for name in HTTPS_PROXY https_proxy HTTP_PROXY http_proxy NO_PROXY no_proxy NODE_EXTRA_CA_CERTS; do
    eval "value=\${$name:-}"
    if [ -n "$value" ]; then printf 'export %s=%s\n' "$name" "$(quoted "$value")"; fi
  done
  printf 'exec %s %s worker' "$(quoted "$(command -v node)")" "$(quoted "$program/start.mjs")"
  printf ' --panel %s --token-file %s --work-dir %s' "$(quoted "$panel")" "$(quoted "$key_file")" "$(quoted "$home/work")"
  for argument in "$@"; do printf ' %s' "$(quoted "$argument")"; done
  printf ' "$@"\n'
}

quoted() {
  printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")"
}

write_unit() {
  cat <<UNIT
[Unit]
Description=Triptych worker
After=network-online.target

[Service]
ExecStart="$home/triptych-worker"
Restart=on-failure
RestartPreventExitStatus=2
Delegate=yes

[Install]
WantedBy=default.target
UNIT
}

start() {
  if [ -s "$home/pid" ] && kill "$(cat "$home/pid")" 2>/dev/null; then
    say "Stopping the worker that is running"
    while kill -0 "$(cat "$home/pid")" 2>/dev/null; do sleep 1; done
  fi
  log=$home/worker.log
  : >"$log"
  nohup "$home/triptych-worker" >"$log" 2>&1 </dev/null &
  pid=$!
  printf '%s\n' "$pid" >"$home/pid"
  seconds=0
  until grep -q 'connected to' "$log"; do
    if ! kill -0 "$pid" 2>/dev/null || [ "$seconds" -ge 60 ] || grep -q 'key rejected' "$log"; then
      cat "$log" >&2
      kill "$pid" 2>/dev/null || true
      wait "$pid" || true
      rm -f "$home/pid"
      stop "The worker is installed, but it did not connect. Its log is above and in $log. To enter another key, remove $key_file and start again." 1
    fi
    sleep 1
    seconds=$((seconds + 1))
  done
  say "The worker is online (process $pid). Its log is $log."
  cat <<TEXT
Check this machine:    $home/triptych-worker doctor
Stop the worker:       kill $pid
Run it as a service of systemd instead, which starts again with the machine:
  kill $pid
  mkdir -p ~/.config/systemd/user && cp $home/triptych-worker.service ~/.config/systemd/user/
  systemctl --user daemon-reload && systemctl --user enable --now triptych-worker
  loginctl enable-linger
TEXT
}

say() {
  printf '%s\n' "$1"
}

stop() {
  printf '%s\n' "$1" >&2
  exit "$2"
}

main "$@"
