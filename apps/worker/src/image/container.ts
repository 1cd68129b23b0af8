/**
 * The level `container`: the same sandbox, with the files of an image as its system in the place of this machine's. The image is
 * unpacked once, so all that is true of a sandbox is true here, and no engine takes part while runs go.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostPrograms } from "../sandbox/host-binaries.ts";
import { imageSystem } from "../sandbox/image-system.ts";
import { exposedBy, quietProc, type MachineView } from "../sandbox/rootfs-binds.ts";
import { sandboxParts, shutIn, whatItSays, type Isolation, type SandboxParts } from "../isolation.ts";
import { findEngine, type Engine, type FoundImage } from "./engine.ts";
import { imageEnvironment } from "./image-environment.ts";
import { isUnpacked, openImage, rootOf } from "./image-folder.ts";

export interface ImageWish {
  readonly reference: string;
  /** The engine and its own options; null: what is found. */
  readonly engine: readonly string[] | null;
}

export interface ContainerPlace {
  /** The worker's own, with all links followed: runs live in it. */
  readonly folder: string;
  readonly machine: MachineView;
  readonly host: Readonly<Record<string, string | undefined>>;
  readonly log: (text: string) => void;
}

export interface Container extends Isolation {
  readonly imageId: string;
}

/** Throws one sentence for whatever is missing: it is never less than a container. */
export async function openContainer(wish: ImageWish, place: ContainerPlace): Promise<Container> {
  return said(async () => {
    const { engine, image, parts } = await look(wish, place);
    await openImage(imagesIn(place), image, { engine, bwrap: parts.bwrap, log: place.log });
    const container = await build(image, { parts, place });
    place.log(`every run works in the image ${image.reference} (${image.id.slice(0, 12)})`);
    return container;
  });
}

export interface ContainerLook {
  readonly engine: string;
  readonly image: FoundImage;
  /** Null: the next worker unpacks it, and only then is known whether it can be used. */
  readonly container: Container | null;
}

/** Unpacks nothing: another worker may live in that folder. */
export async function lookAtContainer(wish: ImageWish, place: ContainerPlace): Promise<ContainerLook> {
  return said(async () => {
    const { engine, image, parts } = await look(wish, place);
    const isHere = await isUnpacked(imagesIn(place), image);
    return { engine: engine.name, image, container: isHere ? await build(image, { parts, place }) : null };
  });
}

interface Looked {
  readonly engine: Engine;
  readonly image: FoundImage;
  readonly parts: SandboxParts;
}

async function look({ reference, engine: words }: ImageWish, { machine, host }: ContainerPlace): Promise<Looked> {
  // Before anything is unpacked.
  exposedBy(machine);
  const parts = await sandboxParts(machine);
  if ("why" in parts) throw new Error(parts.why);
  const engine = await findEngine(words, host);
  return { engine, image: await engine.find(reference), parts };
}

interface Building {
  readonly parts: SandboxParts;
  readonly place: ContainerPlace;
}

const ASK_FOR_SHELL = ["/bin/sh", "-c", ":"];

async function build(image: FoundImage, { parts, place }: Building): Promise<Container> {
  const { prlimit, ...found } = parts;
  const { words, starters } = await hostPrograms(prlimit);
  const exposed = exposedBy(place.machine);
  const system = [
    ...(await imageSystem(rootOf(imagesIn(place), image), [place.folder, tmpdir(), ...exposed])),
    ...words,
    ...exposed.flatMap((folder) => ["--ro-bind", folder, folder]),
    ...(await quietProc()),
  ];
  const environment = imageEnvironment(image.environment);
  const tools = { ...found, level: "container", system, starters, environment } as const;
  const why = await whatItSays(tools, ASK_FOR_SHELL);
  if (why !== null) throw new Error(`/bin/sh cannot be started in ${image.reference}: ${why}`);
  return { ...(await shutIn(tools)), imageId: image.id };
}

/** Unpacked ones. */
function imagesIn({ folder }: ContainerPlace): string {
  return join(folder, "images");
}

async function said<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`--isolation container: ${why}`, { cause: error });
  }
}
