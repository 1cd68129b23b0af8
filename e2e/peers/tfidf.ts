/** tf-idf of words, word pairs and character 3- to 5-grams: sublinear counts, smooth idf, both blocks of length 1. */
export interface SparseVector {
  readonly ids: readonly number[];
  readonly values: readonly number[];
}

export interface Vectorizer {
  readonly size: number;
  vectorOf(text: string): SparseVector;
}

export function fitTfidf(texts: readonly string[]): Vectorizer {
  const documents = new Map<string, number>();
  for (const text of texts)
    for (const term of blocksOf(text).flatMap((block) => [...block.keys()]))
      documents.set(term, (documents.get(term) ?? 0) + 1);
  const ids = new Map([...documents.keys()].map((term, id) => [term, id]));
  const idf = [...documents.values()].map((count) => 1 + Math.log((1 + texts.length) / (1 + count)));
  return {
    size: ids.size,
    vectorOf(text) {
      const entries = blocksOf(text).flatMap((block) => {
        const known = [...block].flatMap(([term, count]) => {
          const id = ids.get(term);
          return id === undefined ? [] : [{ id, value: (1 + Math.log(count)) * idf[id] }];
        });
        const length = Math.hypot(...known.map(({ value }) => value)) || 1;
        return known.map(({ id, value }) => ({ id, value: value / length }));
      });
      entries.sort((a, b) => a.id - b.id);
      return { ids: entries.map(({ id }) => id), values: entries.map(({ value }) => value) };
    },
  };
}

function blocksOf(text: string): readonly ReadonlyMap<string, number>[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const pairs = words.slice(1).map((word, index) => `${words[index]} ${word}`);
  const pieces = words.flatMap((word) => {
    const padded = ` ${word} `;
    return [3, 4, 5].flatMap((length) =>
      Array.from(
        { length: Math.max(0, padded.length - length + 1) },
        (_, from) => `#${padded.slice(from, from + length)}`,
      ),
    );
  });
  return [countsOf([...words, ...pairs]), countsOf(pieces)];
}

function countsOf(terms: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
