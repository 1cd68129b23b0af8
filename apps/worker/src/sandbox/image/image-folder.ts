/**
 * Unpacked images of one worker, by digest: `<id>` is complete, `<id>.part` is discarded. The worker locks its folder, so every other image
 * is stale.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { removeFolder } from "../../process/folders.ts";
import type { Engine, FoundImage } from "./engine.ts";
import { unpack } from "./unpack.ts";

export interface ImageTools {
  readonly engine: Engine;
  readonly bwrap: string;
  readonly log: (text: string) => void;
}

export function rootOf(images: string, { id }: FoundImage): string {
  return join(images, id);
}

export async function isUnpacked(images: string, image: FoundImage): Promise<boolean> {
  return stat(rootOf(images, image)).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Returns the folder of its files. */
export async function openImage(images: string, image: FoundImage, tools: ImageTools): Promise<string> {
  const root = rootOf(images, image);
  await mkdir(images, { recursive: true, mode: 0o700 });
  for (const name of await readdir(images)) if (name !== image.id) await removeFolder(join(images, name));
  if (await isUnpacked(images, image)) return root;
  tools.log(`unpacking ${image.reference} (${image.id.slice(0, 12)}); a large image takes a while`);
  const startedAt = performance.now();
  const part = `${root}.part`;
  const [archive, files] = [join(part, "archive"), join(part, "files")];
  await mkdir(files, { recursive: true, mode: 0o755 });
  const holder = `triptych-${createHash("sha256").update(root).digest("hex").slice(0, 20)}`;
  try {
    await tools.engine.write(image, { file: archive, holder });
    await unpack({ bwrap: tools.bwrap, archive, root: files });
  } catch (error) {
    await removeFolder(part);
    throw error;
  }
  await rename(files, root);
  await rm(part, { recursive: true, force: true });
  tools.log(`unpacked ${image.reference} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  return root;
}
