/** Podman or Docker, only to export the files of a local image: runs need neither a daemon nor privileges. */
import { listAt, textAt } from "../../process/json-access.ts";
import { programOnPath } from "../rootfs-binds.ts";
import { isSecretName, type Environment } from "../../process/environment.ts";
import { runProcess } from "../../process/run-process.ts";
import { createTail } from "../../process/tail.ts";

export interface Engine {
  readonly name: string;
  /** Throws a message if the image is missing, or is for another architecture. */
  find(reference: string): Promise<FoundImage>;
  /** Writes all files as one archive. `holder`: name of the temporary container. */
  write(image: FoundImage, target: { readonly file: string; readonly holder: string }): Promise<void>;
}

export interface FoundImage {
  /** The reference that the operator gave. */
  readonly reference: string;
  /** Digest of its contents: 64 hexadecimal digits. */
  readonly id: string;
  /** `NAME=value` */
  readonly environment: readonly string[];
}

const USUAL: readonly string[] = ["podman", "docker"];

/** `words`: the program and its options; null for the first known engine in PATH. */
export async function findEngine(
  command: readonly string[] | null,
  host: Readonly<Record<string, string | undefined>>,
): Promise<Engine> {
  const path = host["PATH"] ?? "/usr/bin:/bin";
  for (const [program = "", ...options] of command === null ? USUAL.map((name) => [name]) : [command]) {
    const found = program.startsWith("/") ? program : await programOnPath(program, path);
    if (found !== null) return engineOf(program, [found, ...options], withoutSecrets(host));
  }
  const tried = command === null ? "neither podman nor docker was found" : `${command[0]} was not found`;
  throw new Error(`${tried} in PATH. An engine is required to read the image; set it with --engine.`);
}

function engineOf(name: string, argv: readonly string[], environment: Environment): Engine {
  const ask = (...args: readonly string[]) => answerOf([...argv, ...args], environment);
  return {
    name,
    async find(reference) {
      const answer = await ask("image", "inspect", reference);
      if (answer.why !== null)
        throw new Error(`${name} has no image ${reference}: ${answer.why}. Fetch it with: ${name} pull ${reference}`);
      return imageIn(answer.text, reference);
    },
    async write({ id }, { file, holder }) {
      // Removes the container of a worker that was killed.
      await ask("rm", "--force", holder);
      // `create` requires a command if the image has none; the container is never started.
      const made = await ask("create", "--name", holder, id, "/none");
      try {
        const written = made.why === null ? await ask("export", "--output", file, holder) : made;
        if (written.why !== null) throw new Error(`${name} cannot export the image: ${written.why}`);
      } finally {
        await ask("rm", "--force", holder);
      }
    },
  };
}

/** The image architecture for Node's `process.arch`. */
const ARCHITECTURES: Readonly<Record<string, string>> = {
  x64: "amd64",
  arm64: "arm64",
  arm: "arm",
  ppc64: "ppc64le",
  s390x: "s390x",
  riscv64: "riscv64",
};

function imageIn(text: string, reference: string): FoundImage {
  const [image]: readonly unknown[] = listIn(text);
  const id = /^(?:sha256:)?([0-9a-f]{64})$/.exec(textAt(image, "Id"))?.[1];
  if (id === undefined) throw new Error(`the engine's description of ${reference} cannot be parsed.`);
  const made = `${textAt(image, "Os")}/${textAt(image, "Architecture")}`;
  const expected = `linux/${ARCHITECTURES[process.arch] ?? process.arch}`;
  if (made !== expected) throw new Error(`${reference} is an image for ${made}; this machine is ${expected}.`);
  const environment = listAt(image, "Config", "Env").filter((line) => typeof line === "string");
  return { reference, id, environment };
}

function listIn(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** For an image of many gigabytes on a slow disk. */
const ENGINE_MS = 30 * 60_000;
const ANSWER_BYTES = 4 * 1024 * 1024;

interface EngineResult {
  readonly text: string;
  readonly why: string | null;
}

async function answerOf(argv: readonly string[], environment: Environment): Promise<EngineResult> {
  const text = createTail(ANSWER_BYTES);
  const stderr = createTail(1024);
  const end = await runProcess({
    argv,
    cwd: "/",
    environment,
    limits: { timeoutMs: ENGINE_MS, outputBytes: ANSWER_BYTES },
    signal: new AbortController().signal,
    onStdout: text.push,
    onStderr: stderr.push,
  });
  if (end.kind === "exited" && end.code === 0) return { text: text.text(), why: null };
  return { text: "", why: stderr.text().trim().split("\n").at(-1) || end.kind.replaceAll("_", " ") };
}

/** The engine needs its store and daemon addresses, but not the worker's keys. */
function withoutSecrets(host: Readonly<Record<string, string | undefined>>): Environment {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(host))
    if (value !== undefined && !isSecretName(name)) environment[name] = value;
  return environment;
}
