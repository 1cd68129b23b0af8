/** Spellings of French words that sound alike: `oberge` and auberge, `imaginere` and imaginaire. */

/** Letters that are read alike, in both directions. Folded: without accents. */
const ALIKE: readonly (readonly [string, string])[] = [
  ["o", "au"],
  ["o", "eau"],
  ["e", "ai"],
  ["e", "ei"],
  ["k", "c"],
  ["k", "qu"],
  ["c", "qu"],
  ["f", "ph"],
  ["s", "ss"],
  ["s", "c"],
  ["s", "z"],
  ["t", "th"],
  ["i", "y"],
  ["an", "en"],
  ["am", "em"],
  ["in", "ain"],
  ["j", "g"],
  ["ch", "sh"],
  ["l", "ll"],
  ["n", "nn"],
  ["m", "mm"],
  ["r", "rr"],
  ["p", "pp"],
  ["t", "tt"],
];
const RULES = ALIKE.flatMap(([a, b]) => [
  [a, b],
  [b, a],
]);
/** One more step multiplies the spellings by ten, and few words are misspelled in three places. */
const STEPS = 2;
const SPELLINGS_MAX = 200;

/** Those that exist, the fewest steps first. */
export function soundAlikes(word: string, exists: (spelling: string) => boolean, most: number): string[] {
  const seen = new Set([word]);
  const found: string[] = [];
  let last = [word];
  for (let step = 0; step < STEPS; step++) {
    const next: string[] = [];
    for (const spelling of last)
      for (const changed of oneStepFrom(spelling)) {
        if (seen.has(changed) || seen.size >= SPELLINGS_MAX) continue;
        seen.add(changed);
        next.push(changed);
        if (found.length < most && exists(changed)) found.push(changed);
      }
    last = next;
  }
  return found;
}

function* oneStepFrom(word: string): Generator<string> {
  for (const [from, to] of RULES)
    for (let at = word.indexOf(from); at >= 0; at = word.indexOf(from, at + 1))
      yield word.slice(0, at) + to + word.slice(at + from.length);
}
