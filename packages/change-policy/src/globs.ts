/**
 * Globs over Git paths, used to protect files. A stored glob that is not supported matches every path. Matching ignores
 * case, because `.GitHub` is `.github` on some disks. Between names, only the last `**` backtracks, so matching is
 * always fast.
 */
import picomatch from "picomatch";

type Matcher = (path: string) => boolean;
type NameMatcher = (name: string) => boolean;

const GLOB_MAX = 200;
/** The file system limit; longer names are rejected before delivery. */
const NAME_MAX = 255;
const STARS_MAX = 3;
const ALTERNATIVES_MAX = 64;
const INNER_GLOBSTARS_MAX = 3;
const GLOBSTAR = "**";

/** Explains why a glob is invalid, as the end of a sentence; null if it is valid. */
export function globIssue(glob: string): string | null {
  if (glob.length > GLOB_MAX) return `is longer than ${GLOB_MAX} characters`;
  if (glob.includes("\0")) return "contains a NUL character";
  if (glob.startsWith("!")) return "begins with `!`: negation is not supported";
  if (glob.includes("\\")) return "contains a backslash: separate folders with `/`";
  const path = trim(glob);
  if (path === "") return "is empty";
  if ([...path.matchAll(/(?<=[^/])\*{2,}(?=[^/])/g)].length > INNER_GLOBSTARS_MAX)
    return `has more than ${INNER_GLOBSTARS_MAX} \`**\` within names`;
  for (const name of path.split("/")) {
    const issue = nameIssue(name);
    if (issue !== null) return issue;
  }
  return null;
}

/** An invalid glob matches every path, because its purpose is protection. */
export function createMatcher(globs: readonly string[]): Matcher {
  const matchers = globs.flatMap((glob) => (globIssue(glob) === null ? alternatives(trim(glob)).map(compile) : [ALL]));
  return (path) => {
    const names = path.split("/");
    return names.some(({ length }) => length > NAME_MAX) || matchers.some((matches) => matches(names));
  };
}

const ALL = () => true;

function trim(glob: string): string {
  return glob.replace(/^\.?\/+/, "").replace(/\/+$/, "");
}

function nameIssue(name: string): string | null {
  if (name === "") return "contains `//`";
  if (name === "." || name === "..") return `contains the name \`${name}\``;
  if (/[@?*+!]\(/.test(name)) return "contains a pattern such as `+(a|b)`: write `{a,b}`";
  const braces = bracesOf(name);
  if (braces === null) return "contains a brace that is not closed, is nested, or spans a `/`";
  const lists = braces.map((brace) => brace.split(","));
  if (lists.some(({ length }) => length < 2)) return "contains a brace without a comma: write `{a,b}`";
  if (lists.flat().includes("")) return "contains an empty alternative in a brace";
  if (lists.reduce((product, { length }) => product * length, 1) > ALTERNATIVES_MAX)
    return `has braces for more than ${ALTERNATIVES_MAX} names`;
  if (lists.flat().some((part) => !hasSoundClasses(part)) || !hasSoundClasses(name))
    return "contains a bracket that is not closed, is empty, or is nested";
  if ((name.match(/\*+/g) ?? []).length > STARS_MAX) return `has more than ${STARS_MAX} \`*\` in one name`;
  return null;
}

/** Null if the braces are unbalanced or nested. */
function bracesOf(name: string): readonly string[] | null {
  const found = Array.from(name.matchAll(/\{([^{}]*)\}/g), ([, inside = ""]) => inside);
  return /[{}]/.test(name.replaceAll(/\{[^{}]*\}/g, "")) ? null : found;
}

const CLASS = /\[[!^]?([^[\]{}]+)\]/g;

function hasSoundClasses(text: string): boolean {
  const ranges = Array.from(text.matchAll(CLASS), ([, inside = ""]) => inside);
  return !/[[\]]/.test(text.replaceAll(CLASS, "")) && ranges.every((range) => isOrdered(range));
}

/** A regular expression with a reversed range (`[z-a]`) would throw. */
function isOrdered(range: string): boolean {
  return Array.from(range.matchAll(/(.)-(.)/gs)).every(([, from = "", to = ""]) => from <= to);
}

/** Within a name, `**` matches any text including `/`: `a**b` is `a*b` or `a*` + `/**` + `/*b`. */
function alternatives(glob: string): readonly string[] {
  const plain = glob.replace(/(^|\/)\*{2,}(?=[^/*])/, "$1**/*").replace(/(?<=[^/*])\*{2,}(\/|$)/, "*/**$1");
  if (plain !== glob) return alternatives(plain);
  const inner = /(?<=[^/*])\*{2,}(?=[^/*])/.exec(glob);
  if (inner === null) return [glob];
  const [before, after] = [glob.slice(0, inner.index), glob.slice(inner.index + inner[0].length)];
  return [`${before}*${after}`, `${before}*/**/*${after}`].flatMap((alternative) => alternatives(alternative));
}

/** A glob for a folder covers its contents, and `folder/**` covers the folder itself, because a link may replace it. */
function compile(glob: string): (names: readonly string[]) => boolean {
  const parts = glob.split("/").map((name) => (/^\*{2,}$/.test(name) ? GLOBSTAR : compileName(name)));
  while (parts.length > 1 && parts.at(-1) === GLOBSTAR) parts.pop();
  return (names) => matchNames(parts, names);
}

function matchNames(parts: readonly (NameMatcher | typeof GLOBSTAR)[], names: readonly string[]): boolean {
  let part = 0;
  let name = 0;
  let afterGlobstar = -1;
  let restart = 0;
  while (part < parts.length) {
    const matches = parts[part];
    const current = names[name];
    if (matches === GLOBSTAR) {
      afterGlobstar = ++part;
      restart = name;
    } else if (matches === undefined || current === undefined) return false;
    else if (matches(current)) {
      part++;
      name++;
    } else if (afterGlobstar === -1) return false;
    else {
      part = afterGlobstar;
      name = ++restart;
    }
  }
  return true;
}

/** Brackets and braces also occur in file names (`app/[id]/page.tsx`), so they match literally as well. */
function compileName(name: string): NameMatcher {
  const literal = escapeAllBut(/[*?]/, name);
  const pattern = name.replaceAll(/\[[!^]?[^\]]+\]|[^[]+/g, (part) =>
    part.startsWith("[") ? classOf(part) : escapeAllBut(/[*?{},]/, part),
  );
  return picomatch(pattern === literal ? pattern : [pattern, literal], {
    dot: true,
    noextglob: true,
    flags: "is",
    windows: false,
  });
}

function classOf(text: string): string {
  const isNegated = /^\[[!^]/.test(text);
  const inside = text.slice(isNegated ? 2 : 1, -1);
  return `[${isNegated ? "^" : ""}${inside.replaceAll(/[\\^]/g, "\\$&")}]`;
}

function escapeAllBut(allowed: RegExp, text: string): string {
  return text.replaceAll(/[^\w\u0080-\uffff]/g, (symbol) => (allowed.test(symbol) ? symbol : `\\${symbol}`));
}
