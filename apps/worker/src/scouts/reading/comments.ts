/** Locates the comments of a source file by its language's delimiters. A file without comments has none. */
export interface CommentSyntax {
  /** Delimiters of comments that extend to the end of the line. */
  readonly line: readonly string[];
  readonly block: readonly (readonly [begin: string, end: string])[];
  readonly quotes: readonly string[];
}

const C: CommentSyntax = { line: ["//"], block: [["/*", "*/"]], quotes: ['"', "'", "`"] };
const HASH: CommentSyntax = { line: ["#"], block: [], quotes: ['"', "'"] };
const PYTHON: CommentSyntax = { line: ["#"], block: [], quotes: ['"""', "'''", '"', "'"] };
const MARKUP: CommentSyntax = { line: [], block: [["<!--", "-->"]], quotes: [] };
const SYNTAXES: readonly (readonly [RegExp, CommentSyntax])[] = [
  [
    /(?:[._-]lock|lock\.(?:json|ya?ml|hcl)|\.(?:map|snap|svg|json|lockb?)|[.-]min\.(?:js|css)|CHANGELOG[^/]*|go\.sum)$/i,
    { line: [], block: [], quotes: [] },
  ],
  [
    /\.(?:[cm]?[jt]sx?|go|java|kt|kts|cs|swift|scala|c|h|cc|cpp|hpp|m|mm|rs|dart|groovy|gradle|scss|less|proto|zig|d)$/,
    C,
  ],
  [/\.php$/, { ...C, line: ["//", "#"] }],
  [/\.py[iw]?$/, PYTHON],
  [
    /(?:\.(?:rb|sh|bash|zsh|fish|pl|pm|r|jl|ex|exs|toml|ya?ml|cfg|conf|tf|nix|mk|cmake)|(?:^|\/)(?:Makefile|Dockerfile|Containerfile|Justfile|Rakefile|Gemfile|CMakeLists\.txt))$/i,
    HASH,
  ],
  [/\.(?:sql|lua|hs|elm|adb)$/, { line: ["--"], block: [["/*", "*/"]], quotes: ["'", '"'] }],
  [/\.css$/, { line: [], block: [["/*", "*/"]], quotes: ['"', "'"] }],
  [/\.(?:html?|xml|md|markdown|mdx)$/, MARKUP],
  [
    /\.(?:vue|svelte|astro)$/,
    {
      line: ["//"],
      block: [
        ["/*", "*/"],
        ["<!--", "-->"],
      ],
      quotes: [],
    },
  ],
];

export function commentSyntaxOf(path: string): CommentSyntax | null {
  const found = SYNTAXES.find(([names]) => names.test(path))?.[1] ?? null;
  return found === null || found.line.length + found.block.length === 0 ? null : found;
}

export interface CommentLine {
  readonly line: number;
  /** The comment's part of the line. */
  readonly comment: string;
}

/** Reads line by line and tracks open quotes and blocks, so that text in a string is not a comment. */
export function commentsIn(lines: readonly string[], syntax: CommentSyntax): readonly CommentLine[] {
  const found: CommentLine[] = [];
  /** The delimiter that closes the open block or multi-line string. */
  let open: { readonly end: string; readonly isComment: boolean } | null = null;
  for (const [index, text] of lines.entries()) {
    let comment = "";
    for (let at = 0; at < text.length;) {
      if (open !== null) {
        const end = text.indexOf(open.end, at);
        const stop = end === -1 ? text.length : end;
        if (open.isComment) comment += text.slice(at, stop);
        at = end === -1 ? text.length : end + open.end.length;
        if (end !== -1) open = null;
        continue;
      }
      const opening = beginningAt(text, at, syntax);
      if (opening === "line") {
        comment += text.slice(at);
        break;
      }
      if (opening !== null) open = opening;
      at += opening === null ? 1 : opening.width;
      // An escaped quote does not close a single-line string.
      if (open !== null && !open.isComment && !LONG_QUOTES.has(open.end)) {
        at = endOfString(text, at, open.end);
        open = null;
      }
    }
    if (comment !== "") found.push({ line: index + 1, comment });
  }
  return found;
}

const LONG_QUOTES = new Set(['"""', "'''", "`"]);

function beginningAt(text: string, at: number, { line, block, quotes }: CommentSyntax) {
  // `#` and `--` start a comment at a word boundary; `//` after a colon is an address.
  const before = at === 0 ? " " : text[at - 1];
  if (line.some((sign) => text.startsWith(sign, at) && (sign === "//" ? before !== ":" : /[\s;(){}]/.test(before))))
    return "line";
  const opened = block.find(([begin]) => text.startsWith(begin, at));
  if (opened !== undefined) return { end: opened[1], isComment: true, width: opened[0].length };
  const quote = quotes.find((sign) => text.startsWith(sign, at));
  return quote === undefined ? null : { end: quote, isComment: false, width: quote.length };
}

/** The offset after the closing quote; an unclosed quote is an apostrophe. */
function endOfString(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text.startsWith(quote, at)) return at + quote.length;
  }
  return from;
}
