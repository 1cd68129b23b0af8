/** The recipe of the shipped trunk, from training data to file: the same input gives the same bytes. */
import { trainRows, type TrainOptions } from "../src/trunk/train-trunk.ts";
import { writeTrunk } from "../src/trunk/trunk.ts";
import type { DataFolder } from "./data-folder.ts";
import { TRUNK_SHAPE, trunkLesson, type IntentSet, type TrunkShape } from "./trunk-sources.ts";

export interface TrunkRecipe extends Omit<TrainOptions, "onProgress"> {
  readonly shape: TrunkShape;
  readonly contextWeight: number;
}

export const TRUNK_RECIPE: TrunkRecipe = {
  shape: TRUNK_SHAPE,
  dims: 256,
  pieceWeight: 1.5,
  pairWeight: 0.3,
  contextWeight: 0.3,
  batches: 6000,
  batch: 128,
  temperature: 0.04,
  rate: 0.1,
  dropout: 0.1,
  seed: 1,
  initial: 0.3,
  common: 1e-3,
};

export interface TrainTrunkInput {
  readonly recipe: TrunkRecipe;
  readonly without: IntentSet | null;
  readonly say: (message: string) => void;
}

export function trainTrunk(data: DataFolder, { recipe, without, say }: TrainTrunkInput): Uint8Array {
  const { shape, contextWeight, ...options } = recipe;
  const { dims, pieceWeight, pairWeight, batches, batch: size } = options;
  const { corpus, sources, own } = trunkLesson(data, shape, without);
  say(`${corpus.wordStart.length - 1} texts, ${corpus.wordRow.length} words, ${batches} batches of ${size}`);
  const { rows } = trainRows(corpus, sources, {
    ...options,
    onProgress: ({ batch, loss }) => {
      if (batch % 500 === 0) say(`${batch} of ${batches}, loss ${loss.toFixed(3)}`);
    },
  });
  return writeTrunk(rows, own, { dims, pieceWeight, pairWeight, contextWeight });
}
