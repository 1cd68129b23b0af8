/**
 * Globs of settings, matched against paths of git. They protect files, so a glob has one clear reading or none: what this module cannot
 * read is reported by `globIssue`, and a stored glob that cannot be read matches every path.
 *
 * picomatch reads one name at a time and names hold few wildcards, so no path makes a match slow. Between names, `**` needs no
 * backtracking but to the last one. Letters are compared without case: on some disks `.GitHub` is `.github`.
 */
import picomatch from "picomatch";

type Matcher = (path: string) => boolean;
type NameMatcher = (name: string) => boolean;

const GLOB_MAX = 200;
/** No file system takes a longer one: such a path is refused before anything is delivered. */
const NAME_MAX = 255;
const STARS_MAX = 3;
const ALTERNATIVES_MAX = 64;
const INNER_GLOBSTARS_MAX = 3;
const GLOBSTAR = "**";

/** Says why a glob cannot be used, as the end of a sentence; null when it can. */
export function globIssue(glob: string): string | null {
  if (glob.length > GLOB_MAX) return `is longer than ${GLOB_MAX} characters`;
  if (glob.includes("\0")) return "has a NUL character in it";
  if (glob.startsWith("!")) return "begins with `!`: a list of globs has no exceptions";
  if (glob.includes("\\")) return "has a backslash in it: folders are separated by `/`";
  const path = trim(glob);
  if (path === "") return "names no path";
  if ([...path.matchAll(/(?<=[^/])\*{2,}(?=[^/])/g)].length > INNER_GLOBSTARS_MAX)
    return `has more than ${INNER_GLOBSTARS_MAX} \`**\` within names`;
  for (const name of path.split("/")) {
    const issue = nameIssue(name);
    if (issue !== null) return issue;
  }
  return null;
}

/** A glob that cannot be read matches every path: it was written to protect something. */
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
  if (name === "") return "has `//` in it";
  if (name === "." || name === "..") return `has the name \`${name}\` in it`;
  if (/[@?*+!]\(/.test(name)) return "has a pattern such as `+(a|b)` in it: write `{a,b}`";
  const braces = bracesOf(name);
  if (braces === null) return "has a brace that is not closed, or one inside another, or one that goes over a `/`";
  const lists = braces.map((brace) => brace.split(","));
  if (lists.some(({ length }) => length < 2)) return "has a brace without a comma in it: write `{a,b}`";
  if (lists.flat().includes("")) return "has an empty alternative in a brace";
  if (lists.reduce((product, { length }) => product * length, 1) > ALTERNATIVES_MAX)
    return `has braces for more than ${ALTERNATIVES_MAX} names`;
  if (lists.flat().some((part) => !hasSoundClasses(part)) || !hasSoundClasses(name))
    return "has a bracket that is not closed, is empty, or has another one in it";
  if ((name.match(/\*+/g) ?? []).length > STARS_MAX) return `has more than ${STARS_MAX} \`*\` in one name`;
  return null;
}

/** The insides of the braces; null where they are not balanced or stand in one another. */
function bracesOf(name: string): readonly string[] | null {
  const found = Array.from(name.matchAll(/\{([^{}]*)\}/g), ([, inside = ""]) => inside);
  return /[{}]/.test(name.replaceAll(/\{[^{}]*\}/g, "")) ? null : found;
}

const CLASS = /\[[!^]?([^[\]{}]+)\]/g;

function hasSoundClasses(text: string): boolean {
  const ranges = Array.from(text.matchAll(CLASS), ([, inside = ""]) => inside);
  return !/[[\]]/.test(text.replaceAll(CLASS, "")) && ranges.every((range) => isOrdered(range));
}

/** A range whose ends are swapped is no range of a regular expression. */
function isOrdered(range: string): boolean {
  return Array.from(range.matchAll(/(.)-(.)/gs)).every(([, from = "", to = ""]) => from <= to);
}

/** Within a name, `**` stands for any text, `/` included: `a**b` is `a*b` or `a*` + `/**` + `/*b`. */
function alternatives(glob: string): readonly string[] {
  const plain = glob.replace(/(^|\/)\*{2,}(?=[^/*])/, "$1**/*").replace(/(?<=[^/*])\*{2,}(\/|$)/, "*/**$1");
  if (plain !== glob) return alternatives(plain);
  const inner = /(?<=[^/*])\*{2,}(?=[^/*])/.exec(glob);
  if (inner === null) return [glob];
  const [before, after] = [glob.slice(0, inner.index), glob.slice(inner.index + inner[0].length)];
  return [`${before}*${after}`, `${before}*/**/*${after}`].flatMap((alternative) => alternatives(alternative));
}

/** A glob that names a folder covers what is below it, and `folder/**` covers the folder itself: a link may take its place. */
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

/** Brackets and braces are names of files too (`app/[id]/page.tsx`), so they match as written as well. */
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
