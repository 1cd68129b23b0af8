/** Isolation level `container`: the sandbox with an image's files as its system. No container engine takes part in runs. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isSecretName, type Environment } from "../../process/environment.ts";
import { hostPrograms, SANDBOX_GATE_PATH } from "../host-binaries.ts";
import { imageSystem } from "../image-system.ts";
import { visiblePaths, procMaskArgs, type VisibleSystem } from "../rootfs-binds.ts";
import { sandboxParts, createIsolation, probeSandbox, type Isolation, type SandboxParts } from "../isolation.ts";
import { findEngine, type Engine, type FoundImage } from "./engine.ts";
import { isUnpacked, openImage, rootOf } from "./image-folder.ts";

export interface ImageOptions {
  readonly reference: string;
  /** The engine and its options; null to detect it. */
  readonly engine: readonly string[] | null;
}

export interface ContainerContext {
  /** The worker's folder with links resolved: runs live in it. */
  readonly folder: string;
  readonly machine: VisibleSystem;
  readonly host: Readonly<Record<string, string | undefined>>;
  readonly log: (text: string) => void;
}

export interface Container extends Isolation {
  readonly imageId: string;
}

/** Throws a message for any missing requirement: never falls back to a lower level. */
export async function openContainer(options: ImageOptions, context: ContainerContext): Promise<Container> {
  return withErrorPrefix(async () => {
    const { engine, image, parts } = await resolveImage(options, context);
    await openImage(imagesIn(context), image, { engine, bwrap: parts.bwrap, log: context.log });
    const container = await build(image, { parts, context });
    context.log(`using image ${image.reference} for every run  (${image.id.slice(0, 12)})`);
    return container;
  });
}

export interface ContainerInspection {
  readonly engine: string;
  readonly image: FoundImage;
  /** Null if the image is not unpacked yet, so that nobody knows whether it works. */
  readonly container: Container | null;
}

/** Does not unpack the image, because another worker may be using that folder. */
export async function inspectContainer(options: ImageOptions, context: ContainerContext): Promise<ContainerInspection> {
  return withErrorPrefix(async () => {
    const { engine, image, parts } = await resolveImage(options, context);
    const isInstalledHere = await isUnpacked(imagesIn(context), image);
    return { engine: engine.name, image, container: isInstalledHere ? await build(image, { parts, context }) : null };
  });
}

interface ResolvedImage {
  readonly engine: Engine;
  readonly image: FoundImage;
  readonly parts: SandboxParts;
}

async function resolveImage(
  { reference, engine: command }: ImageOptions,
  { machine, host }: ContainerContext,
): Promise<ResolvedImage> {
  // Checked before anything is unpacked.
  visiblePaths(machine);
  const parts = await sandboxParts(machine);
  if ("why" in parts) throw new Error(parts.why);
  const engine = await findEngine(command, host);
  return { engine, image: await engine.find(reference), parts };
}

interface Building {
  readonly parts: SandboxParts;
  readonly context: ContainerContext;
}

const ASK_FOR_SHELL = ["/bin/sh", "-c", ":"];

async function build(image: FoundImage, { parts, context }: Building): Promise<Container> {
  const { prlimit, ...found } = parts;
  const { args, starters } = await hostPrograms(prlimit);
  const exposed = visiblePaths(context.machine);
  const system = [
    ...(await imageSystem(rootOf(imagesIn(context), image), [context.folder, tmpdir(), ...exposed])),
    ...args,
    ...exposed.flatMap((folder) => ["--ro-bind", folder, folder]),
    ...(await procMaskArgs()),
  ];
  const environment = imageEnvironment(image.environment);
  const tools = { ...found, level: "container", system, starters, environment } as const;
  const why = await probeSandbox(tools, ASK_FOR_SHELL);
  if (why !== null) throw new Error(`cannot start /bin/sh in ${image.reference}: ${why}`);
  return { ...(await createIsolation(tools)), imageId: image.id };
}

function imagesIn({ folder }: ContainerContext): string {
  return join(folder, "images");
}

async function withErrorPrefix<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`--isolation container: ${why}`, { cause: error });
  }
}

/** Locale and time zone depend on the system that reads them. */
const OF_SYSTEM: readonly string[] = ["LANG", "LC_ALL", "TZ"];
/** They would also affect the host programs that start everything inside. */
const REFUSED = /^(?:LD_PRELOAD|LD_AUDIT|GCONV_PATH|NODE_OPTIONS)$/;
const USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** `variables`: `NAME=value` entries of the image. Returns the variables to add or to replace. */
function imageEnvironment(variables: readonly string[]): (environment: Environment) => Environment {
  const ofImage = new Map(variables.map((line) => [line.split("=", 1)[0] ?? "", line.slice(line.indexOf("=") + 1)]));
  const PATH = `${SANDBOX_GATE_PATH}:${ofImage.get("PATH") ?? USUAL_PATH}`;
  const allowed = [...ofImage].filter(([name]) => name !== "" && !REFUSED.test(name) && !isSecretName(name));
  return (environment) => {
    const added = allowed.filter(([name]) => environment[name] === undefined || OF_SYSTEM.includes(name));
    return { ...Object.fromEntries(added), PATH };
  };
}
