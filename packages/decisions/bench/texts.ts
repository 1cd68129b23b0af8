/**
 * Generates distinct realistic texts of a given length by joining held-back phrasings of the shipped experts and
 * paraphrases. The same seed gives the same texts, and no data folder is required.
 */
import { xorshift } from "../src/math/xorshift.ts";
import { readParaphrases } from "../training/paraphrases.ts";
import { isHeldOut, readPhrasings } from "../training/phrasings.ts";

const LANGUAGES = ["en", "fr"] as const;
const EXPERTS = ["tools", "helpdesk"] as const;
const JOINTS = [". ", ", ", "? ", "\n"];
/** A text of about 60 characters has between 48 and 72. */
const TOLERANCE = 0.2;

/** Only texts of the same language are joined. */
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
