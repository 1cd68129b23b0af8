/** Test images made of this machine's programs, and a fake engine that exports them. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openContainer, type Container } from "../../src/sandbox/image/container.ts";
import { inSandbox } from "./open-sandbox.ts";

export const ID = "0123456789abcdef".repeat(4);
const ARCHITECTURE = process.arch === "arm64" ? "arm64" : "amd64";

export interface TestImages extends Disposable {
  /** A folder for everything that a test creates; removed after it. */
  readonly folder: string;
  /** The worker's folder. */
  readonly work: string;
  /** The files of the image `tools:1`. */
  readonly root: string;
  /** The engine's command. */
  readonly engine: readonly string[];
  /** The file with the recorded calls. */
  readonly callLog: string;
  /** The engine's description of an image, by name. */
  describe(reference: string, changes?: object): void;
  open(reference?: string, engine?: readonly string[], exposed?: readonly string[]): Promise<Container>;
}

const NODE = '#!/bin/sh\nexec /run/triptych/loader --library-path /run/triptych/lib /run/triptych/node "$@"\n';

/** `programs`: of this machine, with their libraries. Unlike a real image it contains the worker's Node, for tests that run it. */
export function makeImages(programs: readonly string[] = ["sh", "cat", "ls"]): TestImages {
  const folder = mkdtempSync(join(tmpdir(), "images-"));
  const pathOf = (name: string) => join(folder, name);
  const [root, work, descriptions, callLog] = [pathOf("root"), pathOf("work"), pathOf("known"), pathOf("heard")];
  for (const path of ["bin", "etc", "usr/bin", "tmp", "proc", "var/empty"])
    mkdirSync(join(root, path), { recursive: true });
  for (const path of [work, descriptions]) mkdirSync(path);
  copyPrograms(programs, root);
  writeFileSync(join(root, "bin/node"), NODE, { mode: 0o755 });
  writeFileSync(join(root, "etc/os-release"), "ID=of-the-image\n");
  writeFileSync(join(root, "bin/codex"), '#!/bin/sh\ntest "$1" = --version && echo codex-cli 0.169.0\n', {
    mode: 0o755,
  });
  symlinkSync("/etc/os-release", join(root, "release"));
  const engine = pathOf("engine");
  writeFileSync(engine, ENGINE, { mode: 0o755 });
  const describe: TestImages["describe"] = (reference, changes = {}) => {
    const image = { Id: `sha256:${ID}`, Os: "linux", Architecture: ARCHITECTURE, Config: {}, ...changes };
    writeFileSync(join(descriptions, reference), JSON.stringify([image]));
  };
  describe("tools:1", {
    Config: { Env: ["PATH=/opt/own:/bin", "OF_IMAGE=yes", "IMAGE_TOKEN=hidden", "LD_PRELOAD=/x.so"] },
  });
  const command = [engine, descriptions, root, callLog];
  return {
    folder,
    work,
    root,
    engine: command,
    callLog,
    describe,
    open: (reference = "tools:1", engine = command, exposed = []) =>
      openContainer(
        { reference, engine },
        {
          folder: work,
          machine: { path: process.env["PATH"] ?? "/usr/bin:/bin", hidden: [homedir(), work], exposed },
          host: process.env,
          log: () => {},
        },
      ),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** For the options of a test. */
export const inContainer = inSandbox;

/** Its own options come first, as in a real engine; an `archive` beside the files is exported instead. */
const ENGINE = `#!/bin/sh
known=$1 root=$2 heard=$3
shift 3
echo "$*" >> "$heard"
case "$1 $2" in
"image inspect")
  [ -e "$known/$3" ] || { echo "Error: $3: image not known" >&2; exit 125; }
  cat "$known/$3" ;;
"export --output")
  [ -e "$root/../hang" ] && { echo half > "$3"; echo $$ > "$root/../hanging"; exec sleep 600; }
  if [ -e "$root/../archive" ]; then cp "$root/../archive" "$3"; else tar --create --file "$3" --directory "$root" .; fi ;;
esac
`;

function copyPrograms(names: readonly string[], root: string): void {
  const path = (name: string) =>
    ["/bin", "/usr/bin", "/sbin", "/usr/sbin"].map((folder) => join(folder, name)).find((file) => existsSync(file));
  const found = names.map((name) => path(name) ?? "");
  const links = execFileSync("ldd", found, { encoding: "utf8" });
  const libraries = new Set([...links.matchAll(/(?:=> |^\s+)(\/\S+) \(0x/gm)].map(([, file = ""]) => file));
  for (const [at, file] of found.entries()) copyFileSync(file, join(root, "bin", names[at] ?? ""));
  for (const file of libraries) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    copyFileSync(file, join(root, file));
  }
  if (names.includes("env")) copyFileSync(join(root, "bin/env"), join(root, "usr/bin/env"));
  chmodSync(join(root, "bin/cat"), 0o4755);
}
