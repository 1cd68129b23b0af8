/** Usual capitals for names of towns that are not in the list of communes. */
const SMALL = new Set("à au aux d de des du en et l la le les lès lez près sous sur".split(" "));

/** `VILLE D'AVRAY` -> `Ville d'Avray`. A text with a lower-case letter keeps its capitals. */
export function usualCapitals(text: string): string {
  if (/\p{Ll}/u.test(text) || !/\p{Lu}{2}/u.test(text)) return text;
  return text
    .toLowerCase()
    .replaceAll(/[\p{L}\p{N}]+/gu, (word, start: number) =>
      start > 0 && SMALL.has(word) ? word : word.slice(0, 1).toUpperCase() + word.slice(1),
    );
}
