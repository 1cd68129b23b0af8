/** Images built with buildah on bases made from Debian packages, and processes in them. No registry of images is needed. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { access, chown, mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MEBIBYTE = 1024 * 1024;
/** The user ID in the images. */
const UID = 10_001;
const NPM = "npm@11.19.1";
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export const REQUIRED = ["buildah", "mmdebstrap", "bwrap"];

async function run(program: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { cwd: ROOT, maxBuffer: 64 * MEBIBYTE });
  return stdout.trim();
}

export const buildah = (...args: readonly string[]) => run("buildah", ...args);

const PACKAGES = { base: [], build: ["ca-certificates", "git"] } as const;

/** An image from Debian packages only. */
async function makeDebian(name: keyof typeof PACKAGES, folder: string): Promise<string> {
  const archive = join(folder, `${name}.tar`);
  const packages = PACKAGES[name];
  const include = packages.length === 0 ? [] : [`--include=${packages.join(",")}`];
  await run("mmdebstrap", "--quiet", "--variant=minbase", ...include, "bookworm", archive);
  const container = await buildah("from", "scratch");
  await buildah("add", "--quiet", container, archive, "/");
  await buildah("config", "--env", `PATH=${PATH}`, container);
  return container;
}

const commit = (container: string, name: string) =>
  buildah("commit", "--quiet", "--rm", container, `localhost/triptych-${name}`);

/** Like the official image of Node.js: contains `node` and npm. */
async function makeBuildImage(folder: string): Promise<string> {
  const container = await makeDebian("build", folder);
  await run("npm", "install", "--prefix", join(folder, "npm"), "--no-audit", "--no-fund", NPM);
  await buildah("add", "--quiet", container, process.execPath, "/usr/local/bin/node");
  await buildah("add", "--quiet", container, join(folder, "npm/node_modules"), "/usr/local/lib/node_modules");
  for (const name of ["npm", "npx"])
    await buildah(
      "run",
      "--isolation",
      "chroot",
      container,
      "ln",
      "-s",
      `../lib/node_modules/npm/bin/${name}-cli.js`,
      `/usr/local/bin/${name}`,
    );
  const hasCertificates = await access(CERTIFICATES).then(
    () => true,
    () => false,
  );
  // The package registry may be behind a proxy whose certificate only this machine trusts.
  if (hasCertificates) {
    await buildah("add", "--quiet", container, CERTIFICATES, "/usr/local/share/certificates.crt");
    await buildah("config", "--env", "NODE_EXTRA_CA_CERTS=/usr/local/share/certificates.crt", container);
  }
  return commit(container, "build");
}

export interface Images {
  readonly base: string;
  readonly services: string;
  readonly worker: string;
}

/** With REUSE_IMAGES=1, returns the images of the last run. */
export async function buildImages(folder: string): Promise<Images> {
  if (process.env["REUSE_IMAGES"] === "1")
    return {
      base: "localhost/triptych-base",
      services: "localhost/triptych-services",
      worker: "localhost/triptych-worker",
    };
  const base = await commit(await makeDebian("base", folder), "base");
  const build = await makeBuildImage(folder);
  const bases = ["--build-arg", `BASE=${base}`, "--build-arg", `BUILD=${build}`];
  const buildTarget = async (target: string) => {
    // The second target reuses the layers of the first.
    const options = [
      "--quiet",
      "--layers",
      "--format",
      "docker",
      "--isolation",
      "chroot",
      ...bases,
      "--target",
      target,
    ];
    return (await buildah("bud", ...options, "--tag", `localhost/triptych-${target}`, ".")).split("\n").at(-1) ?? "";
  };
  const services = await buildTarget("services");
  return { base, services, worker: await buildTarget("worker") };
}

async function inspect(image: string) {
  return JSON.parse(await buildah("inspect", "--type", "image", image));
}

interface Manifest {
  readonly layers: readonly { readonly size: number }[];
}

/** Uncompressed MB of the layers above another image's. */
export async function megabytesAbove(image: string, base: string): Promise<number> {
  const sizeOf = async (name: string) => {
    const { Manifest: text }: { Manifest: string } = await inspect(name);
    const { layers }: Manifest = JSON.parse(text);
    return layers.reduce((sum, { size }) => sum + size, 0);
  };
  return ((await sizeOf(image)) - (await sizeOf(base))) / 1e6;
}

interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly StopSignal: string;
  readonly Healthcheck?: { readonly Test: readonly string[] };
}

export async function configOf(image: string): Promise<ImageConfig> {
  const { Docker }: { Docker: { config: ImageConfig } } = await inspect(image);
  return Docker.config;
}

export interface Container extends AsyncDisposable {
  readonly child: ChildProcess;
  /** The volume `/data`, on the host. */
  readonly data: string;
  output(): string;
  /** Runs a command in the same container. */
  run(command: readonly string[], variables?: Readonly<Record<string, string>>): Promise<void>;
  /** Sends the stop signal to the first process, as `docker stop` does. Returns its exit code. */
  stop(): Promise<number | null>;
}

export interface ContainerOptions {
  readonly image: string;
  /** The folder for the volume. */
  readonly data: string;
  /** Replaces the command of the image. */
  readonly command?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

/**
 * Runs the image as its user, with a read-only root, `/data` and `/tmp`, in its own mount and process namespaces. An engine
 * would do the same and also limit resources, which machines without such rights refuse.
 */
export async function startContainer(options: ContainerOptions): Promise<Container> {
  const { image, data, variables = {} } = options;
  await mkdir(data, { recursive: true, mode: 0o700 });
  await chown(data, UID, UID);
  const container = await buildah("from", image);
  const root = await buildah("mount", container);
  const { Env, Entrypoint, Cmd, WorkingDir, User } = await configOf(image);
  const argv = (command: readonly string[], more: Readonly<Record<string, string>>) => [
    ...words(`--ro-bind ${root} / --dev /dev --proc /proc --tmpfs /tmp --chmod 1777 /tmp --bind ${data} /data`),
    ...words(`--ro-bind /etc/resolv.conf /etc/resolv.conf --chdir ${WorkingDir} --unshare-pid --die-with-parent`),
    ...words("--cap-add CAP_SETUID --cap-add CAP_SETGID --clearenv"),
    ...Env.flatMap((pair) => ["--setenv", pair.split("=")[0] ?? "", pair.slice(pair.indexOf("=") + 1)]),
    ...Object.entries({ ...variables, ...more }).flatMap(([name, value]) => ["--setenv", name, value]),
    ...words(`setpriv --reuid ${User} --regid ${User} --clear-groups --no-new-privs --`),
    ...command,
  ];
  const child = spawn("bwrap", argv([...Entrypoint, ...(options.command ?? Cmd)], {}), {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const stop = async () => {
    // The namespace's first process is bubblewrap's; the program of the image is its child.
    const program = await programOf(child.pid ?? 0);
    if (program !== null) process.kill(program, "SIGTERM");
    const [code] = await ended;
    return typeof code === "number" ? code : null;
  };
  return {
    child,
    data,
    output: () => output,
    run: async (command, more = {}) => void (await run("bwrap", ...argv(command, more))),
    stop,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await stop();
      await buildah("rm", container);
    },
  };
}

const words = (text: string) => text.split(" ");

/** The first descendant of bubblewrap that is another program. */
async function programOf(pid: number): Promise<number | null> {
  const name = (await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")).trim();
  if (name !== "bwrap" && name !== "") return pid;
  for (const task of await readdir(`/proc/${pid}/task`).catch(() => [])) {
    const children = await readFile(`/proc/${pid}/task/${task}/children`, "utf8").catch(() => "");
    for (const one of children.trim().split(/\s+/).filter(Boolean)) {
      const found = await programOf(Number(one));
      if (found !== null) return found;
    }
  }
  return null;
}
