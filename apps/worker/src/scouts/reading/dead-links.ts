/** Where the links of a text lead inside its repository, and which of them lead nowhere. */
import { posix } from "node:path";
import { anchorsOf, linksOf, type Link } from "./markdown.ts";
import { nearestOf } from "./nearest.ts";
import type { Tree } from "./tree.ts";

/** A file of the repository, or a heading of one. */
export interface Place {
  readonly path: string;
  readonly anchor: string;
}

export interface DeadLink extends Link {
  readonly missing: "file" | "heading";
  readonly place: Place;
}

/** In their order in the text; a target that stands there twice is two links. */
export async function deadLinksOf(tree: Tree, file: string): Promise<readonly DeadLink[]> {
  const text = await tree.read(file);
  if (text === null) return [];
  const dead: DeadLink[] = [];
  const anchors = anchorsIn(tree);
  for (const link of linksOf(text)) {
    const place = placeOf(file, link.target);
    const missing = place === null ? null : await missingAt(tree, place, anchors);
    if (place !== null && missing !== null) dead.push({ ...link, missing, place });
  }
  return dead;
}

/** The addresses of other places that the text links to. */
export async function addressesOf(tree: Tree, file: string): Promise<readonly Link[]> {
  const text = await tree.read(file);
  return text === null ? [] : linksOf(text).filter(({ target }) => /^https?:\/\//i.test(target));
}

/** The top of a page, which no heading names, and lines of its source. */
const EVERYWHERE = /^(?:top|l\d+(?:c\d+)?(?:-l\d+(?:c\d+)?)?)$/;

/** The target that was meant, where only one can have been; as it is to be written in its place. */
export async function meantBy(tree: Tree, file: string, { target, missing, place }: DeadLink): Promise<string | null> {
  const [, before = "", after = ""] = /^([^?#]*)(.*)$/s.exec(target) ?? [];
  if (missing === "heading") {
    const anchor = nearestOf(place.anchor, await anchorsIn(tree)(place.path));
    return anchor === null ? null : `${target.slice(0, target.indexOf("#"))}#${anchor}`;
  }
  const path = nearestPath(tree, place.path);
  if (path === null) return null;
  const written = before.startsWith("/") ? `/${path}` : posix.relative(posix.dirname(file), path);
  const mended = encodeURI(written) + after;
  const isAlive = (await missingAt(tree, placeOf(file, mended) ?? place, anchorsIn(tree))) === null;
  return isAlive ? mended : null;
}

/** Moved under the same name, or spelled a little otherwise. */
function nearestPath(tree: Tree, path: string): string | null {
  const name = posix.basename(path).toLowerCase();
  const known = [...tree.files.keys(), ...tree.folders].filter((one) => one !== "");
  const moved = known.filter((one) => posix.basename(one).toLowerCase() === name);
  if (moved.length > 0) return moved.length === 1 ? moved[0] : null;
  return nearestOf(path, known);
}

/** Null where it leads out of the repository, to another place, or to nothing that can be looked at. */
function placeOf(file: string, target: string): Place | null {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) return null;
  const [, written = "", anchor = ""] = /^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/s.exec(target) ?? [];
  const before = decoded(written);
  const fragment = decoded(anchor);
  // What a template or a site's own routes would fill in is no path.
  if (before === null || fragment === null || /[{}$*|\\]/.test(before)) return null;
  const joined = before === "" ? file : before.startsWith("/") ? before : posix.join(posix.dirname(file), before);
  const path = posix.normalize(joined).replace(/^\/+|\/+$/g, "");
  if (path === ".." || path.startsWith("../")) return null;
  return { path: path === "." ? "" : path, anchor: fragment.toLowerCase() };
}

type Anchors = (path: string) => Promise<ReadonlySet<string>>;

/** Each file is parsed once: a table of contents links to one file a hundred times. */
function anchorsIn(tree: Tree): Anchors {
  const known = new Map<string, Promise<ReadonlySet<string>>>();
  return (path) => {
    const found = known.get(path) ?? tree.read(path).then((text) => anchorsOf(text ?? ""));
    known.set(path, found);
    return found;
  };
}

async function missingAt(tree: Tree, { path, anchor }: Place, anchors: Anchors): Promise<DeadLink["missing"] | null> {
  if (!tree.files.has(path)) return tree.folders.has(path) ? null : "file";
  if (anchor === "" || EVERYWHERE.test(anchor) || !/\.(?:md|markdown)$/i.test(path)) return null;
  const known = await anchors(path);
  // Forges differ in what they leave out of a heading's name; letters and digits all of them keep.
  const bare = (name: string) => name.replaceAll(/[^\p{L}\p{N}]/gu, "");
  return [...known].some((one) => bare(one) === bare(anchor)) || bare(anchor) === "" ? null : "heading";
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
