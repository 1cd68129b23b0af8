/**
 * Texts as people write them, distinct, in so many characters: phrasings of the shipped experts that were held back from training, and the
 * team's paraphrases, joined until they are long enough. The same seed gives the same texts; no data folder is needed.
 */
import { xorshift } from "../src/math/xorshift.ts";
import { readParaphrases } from "../training/paraphrases.ts";
import { isHeldOut, readPhrasings } from "../training/phrasings.ts";

const LANGUAGES = ["en", "fr"] as const;
const EXPERTS = ["tools", "helpdesk"] as const;
const JOINTS = [". ", ", ", "? ", "\n"];
/** A text of 60 characters has between 48 and 72. */
const TOLERANCE = 0.2;

/** Texts of one language are joined with texts of the same. */
export function generateTexts(count: number, characters: number, seed = 1): string[] {
  const pools = LANGUAGES.map((language) => [
    ...EXPERTS.flatMap((expert) => readPhrasings(expert, language).filter(isHeldOut)).map(({ text }) => text),
    ...readParaphrases()
      .filter((paraphrase) => paraphrase.language === language)
      .map(({ text }) => text),
  ]);
  const random = xorshift(seed);
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)];
  const found = new Set<string>();
  while (found.size < count) {
    const pool = pick(pools);
    let text = pick(pool);
    while (text.length < characters * (1 - TOLERANCE)) text += pick(JOINTS) + pick(pool);
    if (text.length <= characters * (1 + TOLERANCE)) found.add(text);
  }
  return [...found];
}
