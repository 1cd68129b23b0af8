/** Links and headings of a Markdown text, as a forge renders them: GitHub Flavored Markdown. */
import GithubSlugger from "github-slugger";
import type { Nodes } from "mdast";
import { fromMarkdown, type CompileContext, type Extension, type Token } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

export interface MarkdownLink {
  /** Without escapes and character references. */
  readonly target: string;
  /** The source range of the target. */
  readonly at: number;
  readonly end: number;
  readonly line: number;
}

type LinkPosition = Omit<MarkdownLink, "target">;

/** Links, images and definitions, in text order. */
export function linksOf(text: string): readonly MarkdownLink[] {
  const positions = new Map<Nodes, LinkPosition>();
  const found: MarkdownLink[] = [];
  visit(parse(text, positions), (node) => {
    if (node.type !== "link" && node.type !== "image" && node.type !== "definition") return;
    // An empty link is invisible: some authors use it as an anchor.
    if (node.type === "link" && node.children.length === 0) return;
    const linkPosition = positions.get(node) ?? positionOf(node);
    if (node.url !== "") found.push({ target: node.url, ...linkPosition });
  });
  return found.toSorted((one, other) => one.at - other.at);
}

/** Possible fragments: each heading's anchor, and HTML anchors. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const slugger = new GithubSlugger();
  visit(parse(text), (node) => {
    if (node.type === "heading") anchors.add(slugger.slug(textOf(node).trim()));
    if (node.type === "html" && !node.value.startsWith("<!--"))
      for (const [, name] of node.value.matchAll(/<[a-z][^<>]*\s(?:name|id)=["']?([^"'\s>]+)/gi))
        anchors.add(name.toLowerCase());
  });
  return anchors;
}

function parse(text: string, positions = new Map<Nodes, LinkPosition>()) {
  return fromMarkdown(text, {
    extensions: [gfm()],
    mdastExtensions: [gfmFromMarkdown(), recordPositions(positions)],
  });
}

/** Finds a destination's end by the parser's rules; the tree has no position for it. */
function recordPositions(positions: Map<Nodes, LinkPosition>): Extension {
  function note(this: CompileContext, token: Token): void {
    const url = this.resume();
    const node = this.stack.at(-1);
    if (node === undefined || !("url" in node)) return;
    node.url = url;
    positions.set(node, { at: token.start.offset, end: token.end.offset, line: token.start.line });
  }
  return { exit: { resourceDestinationString: note, definitionDestinationString: note } };
}

/** An autolink. */
function positionOf({ position }: Nodes): LinkPosition {
  return { at: position?.start.offset ?? 0, end: position?.end.offset ?? 0, line: position?.start.line ?? 1 };
}

function visit(node: Nodes, see: (node: Nodes) => void): void {
  see(node);
  if ("children" in node) for (const child of node.children) visit(child, see);
}

/** As rendered: without images and markup. */
function textOf(node: Nodes): string {
  if (node.type === "text" || node.type === "inlineCode") return node.value;
  return "children" in node ? node.children.map(textOf).join("") : "";
}
