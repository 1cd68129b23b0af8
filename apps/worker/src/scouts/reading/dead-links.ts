/** Resolves the links of a text inside its repository, and finds the dead ones. */
import { posix } from "node:path";
import { anchorsOf, linksOf, type MarkdownLink } from "./markdown.ts";
import { nearestOf } from "./nearest.ts";
import type { Tree } from "./tree.ts";

/** A file of the repository, or a heading of one. */
export interface LinkTarget {
  readonly path: string;
  readonly anchor: string;
}

export interface DeadLink extends MarkdownLink {
  readonly missing: "file" | "heading";
  readonly linkTarget: LinkTarget;
}

/** In text order; a repeated target counts as two links. */
export async function deadLinksOf(tree: Tree, file: string): Promise<readonly DeadLink[]> {
  const text = await tree.read(file);
  if (text === null) return [];
  const dead: DeadLink[] = [];
  const anchors = anchorsIn(tree);
  for (const link of linksOf(text)) {
    const linkTarget = resolveLink(file, link.target);
    const missing = linkTarget === null ? null : await missingAt(tree, linkTarget, anchors);
    if (linkTarget !== null && missing !== null) dead.push({ ...link, missing, linkTarget });
  }
  return dead;
}

export async function addressesOf(tree: Tree, file: string): Promise<readonly MarkdownLink[]> {
  const text = await tree.read(file);
  return text === null ? [] : linksOf(text).filter(({ target }) => /^https?:\/\//i.test(target));
}

/** Fragments without a heading: the top of a page, and source lines. */
const EVERYWHERE = /^(?:top|l\d+(?:c\d+)?(?:-l\d+(?:c\d+)?)?)$/;

/** The only plausible target, as written in the text. */
export async function suggestFor(
  tree: Tree,
  file: string,
  { target, missing, linkTarget }: DeadLink,
): Promise<string | null> {
  const [, before = "", after = ""] = /^([^?#]*)(.*)$/s.exec(target) ?? [];
  if (missing === "heading") {
    const anchor = nearestOf(linkTarget.anchor, await anchorsIn(tree)(linkTarget.path));
    return anchor === null ? null : `${target.slice(0, target.indexOf("#"))}#${anchor}`;
  }
  const path = nearestPath(tree, linkTarget.path);
  if (path === null) return null;
  const written = before.startsWith("/") ? `/${path}` : posix.relative(posix.dirname(file), path);
  const mended = encodeURI(written) + after;
  const isAlive = (await missingAt(tree, resolveLink(file, mended) ?? linkTarget, anchorsIn(tree))) === null;
  return isAlive ? mended : null;
}

/** Moved under the same name, or slightly misspelled. */
function nearestPath(tree: Tree, path: string): string | null {
  const name = posix.basename(path).toLowerCase();
  const paths = [...tree.files.keys(), ...tree.folders].filter((candidate) => candidate !== "");
  const moved = paths.filter((candidate) => posix.basename(candidate).toLowerCase() === name);
  if (moved.length > 0) return moved.length === 1 ? moved[0] : null;
  return nearestOf(path, paths);
}

/** Null if it leaves the repository, or cannot be checked. */
function resolveLink(file: string, target: string): LinkTarget | null {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) return null;
  const [, written = "", anchor = ""] = /^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/s.exec(target) ?? [];
  const before = decoded(written);
  const fragment = decoded(anchor);
  // A template placeholder or a site route is not a path.
  if (before === null || fragment === null || /[{}$*|\\]/.test(before)) return null;
  const joined = before === "" ? file : before.startsWith("/") ? before : posix.join(posix.dirname(file), before);
  const path = posix.normalize(joined).replace(/^\/+|\/+$/g, "");
  if (path === ".." || path.startsWith("../")) return null;
  return { path: path === "." ? "" : path, anchor: fragment.toLowerCase() };
}

type Anchors = (path: string) => Promise<ReadonlySet<string>>;

/** Each file is parsed once: a table of contents links to one file a hundred times. */
function anchorsIn(tree: Tree): Anchors {
  const cached = new Map<string, Promise<ReadonlySet<string>>>();
  return (path) => {
    const found = cached.get(path) ?? tree.read(path).then((text) => anchorsOf(text ?? ""));
    cached.set(path, found);
    return found;
  };
}

async function missingAt(
  tree: Tree,
  { path, anchor }: LinkTarget,
  anchors: Anchors,
): Promise<DeadLink["missing"] | null> {
  if (!tree.files.has(path)) return tree.folders.has(path) ? null : "file";
  if (anchor === "" || EVERYWHERE.test(anchor) || !/\.(?:md|markdown)$/i.test(path)) return null;
  const existing = await anchors(path);
  // Forges differ in the characters they drop from a heading's anchor; all preserve letters and digits.
  const bare = (name: string) => name.replaceAll(/[^\p{L}\p{N}]/gu, "");
  return [...existing].some((name) => bare(name) === bare(anchor)) || bare(anchor) === "" ? null : "heading";
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
