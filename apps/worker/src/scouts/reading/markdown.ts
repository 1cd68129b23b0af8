/** The links and headings of a Markdown text, as a forge shows them: what stands in code is neither. */
export interface Link {
  readonly target: string;
  /** Where the target stands in the text. */
  readonly at: number;
  readonly line: number;
}

/** `[text](target "title")`, `![alt](target)`, `[name]: target`, each also with the target in angle brackets. */
const LINKS = [
  /\]\(\s*<([^<>\n]+)>[^)\n]*\)/dg,
  /\]\(\s*([^\s<>()]+(?:\([^\s()]*\)[^\s<>()]*)*)(?:\s+(?:"[^"]*"|'[^']*'|\([^)]*\)))?\s*\)/dg,
  /^ {0,3}\[(?!\^)[^\]\n]+\]:[ \t]*<?([^\s<>]+)>?/dgm,
] as const;

export function linksOf(text: string): readonly Link[] {
  const shown = withoutCode(text);
  const found = LINKS.flatMap((pattern) =>
    Array.from(shown.matchAll(pattern), (match) => ({ target: match[1], at: match.indices?.[1]?.[0] ?? 0 })),
  );
  const newlines = Array.from(shown.matchAll(/\n/g), ({ index }) => index);
  return found
    .toSorted((one, other) => one.at - other.at)
    .map((link) => ({ ...link, line: 1 + countBelow(newlines, link.at) }));
}

/** What a link can name after `#`: each heading as forges write it, and anchors that stand there by hand. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const seen = new Map<string, number>();
  const shown = withoutCode(text, { keepsInline: true });
  for (const [, atx, setext] of shown.matchAll(
    /^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$|^(?! {4})(\S.*)\n {0,3}(?:=+|-+)[ \t]*$/gm,
  )) {
    const slug = slugOf(atx ?? setext);
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    anchors.add(times === 0 ? slug : `${slug}-${times}`);
  }
  for (const [, name] of shown.matchAll(/<[a-z][^<>]*\s(?:name|id)=["']([^"']+)["']/gi))
    anchors.add(name.toLowerCase());
  return anchors;
}

/** Lower case, without mark-up and punctuation, a dash for each space. */
function slugOf(heading: string): string {
  return heading
    .replaceAll(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, "$1")
    .replaceAll(/<[^<>]*>/g, "")
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
}

/** Blanks of the same length in the place of code and comments, so that places in the text stay what they are. */
function withoutCode(text: string, { keepsInline } = { keepsInline: false }): string {
  const blank = (code: string) => code.replaceAll(/[^\n]/g, " ");
  const shown = text
    .replaceAll(/^ {0,3}(`{3,}|~{3,})[^\n]*\n(?:[^]*?^ {0,3}\1[`~]*[ \t]*$|[^]*$)/gm, blank)
    .replaceAll(/<!--[^]*?-->/g, blank);
  return keepsInline ? shown : shown.replaceAll(/(?<!`)(`+)(?!`)[^]*?[^`]\1(?!`)/g, blank);
}

function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
