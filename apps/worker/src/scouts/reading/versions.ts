/**
 * Version numbers of npm packages, as far as a gate needs them: it runs where nothing but our own source may be readable. Ranges are
 * read as advisories and lock files write them; what cannot be read is null, and never guessed.
 */
export interface Version {
  readonly numbers: readonly [number, number, number];
  /** Empty where it is a release. */
  readonly before: readonly string[];
}

const VERSION = /^[v=\s]*(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

export function readVersion(text: string): Version | null {
  const [, major, minor, patch, before] = VERSION.exec(text.trim()) ?? [];
  if (major === undefined) return null;
  return {
    numbers: [Number(major), Number(minor), Number(patch)],
    before: before === undefined ? [] : before.split("."),
  };
}

/** Negative where the first is older. */
export function compareVersions(one: Version, other: Version): number {
  for (const [place, number] of one.numbers.entries())
    if (number !== other.numbers[place]) return number - other.numbers[place];
  if (one.before.length === 0 || other.before.length === 0) return other.before.length - one.before.length;
  for (let place = 0; place < Math.max(one.before.length, other.before.length); place++) {
    const order = compareParts(one.before[place], other.before[place]);
    if (order !== 0) return order;
  }
  return 0;
}

function compareParts(one: string | undefined, other: string | undefined): number {
  if (one === undefined) return -1;
  if (other === undefined) return 1;
  const [first, second] = [one, other].map((part) => (/^\d+$/.test(part) ? Number(part) : null));
  if (first !== null && second !== null) return first - second;
  if (first !== null) return -1;
  if (second !== null) return 1;
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The least version that a range of package.json takes; null for tags, addresses, and what has no least one. */
export function leastOf(range: string): Version | null {
  const lowest = range
    .split("||")
    .map((part) =>
      /^\s*(?:[~^=v]|>=?)?\s*(\d+)(?:\.(\d+|[x*]))?(?:\.(\d+|[x*]))?((?:-[0-9A-Za-z.-]+)?)(?=\s|$)/.exec(part),
    )
    .map((match) => {
      if (match === null) return null;
      const [, major, minor, patch, before] = match;
      return readVersion(`${major}.${digits(minor)}.${digits(patch)}${before}`);
    });
  const known = lowest.filter((one) => one !== null);
  return known.length < lowest.length ? null : (known.toSorted(compareVersions)[0] ?? null);
}

/** Whether a range of comparisons (`>=1.0.0 <1.4.2 || 2.0.0`, `*`) holds a version; null where it is of another kind. */
export function holds(range: string, version: Version): boolean | null {
  const parts = range.split("||").map((part) => {
    const words = part
      .trim()
      .replaceAll(/([<>]=?|=)\s+/g, "$1")
      .split(/\s+/)
      .filter(Boolean);
    const answers = words.map((word) => (word === "*" ? true : satisfies(word, version)));
    return answers.includes(null) ? null : answers.every((one) => one === true);
  });
  if (parts.includes(true)) return true;
  return parts.includes(null) ? null : false;
}

function satisfies(word: string, version: Version): boolean | null {
  const [, sign = "=", text = ""] = /^([<>]=?|=)?(.+)$/.exec(word) ?? [];
  const than = readVersion(text);
  if (than === null) return null;
  const order = compareVersions(version, than);
  switch (sign) {
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
    default:
      return order === 0;
  }
}

function digits(part: string | undefined): string {
  return part === undefined || /[x*]/.test(part) ? "0" : part;
}
