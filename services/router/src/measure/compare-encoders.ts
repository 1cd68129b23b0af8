/**
 * Compares the bundled trunk with a sentence encoder: heads are trained on the same examples and evaluated on texts
 * that they were not trained on.
 */
import {
  encodedAhead,
  loadHead,
  openEncoderHead,
  textsOfTraining,
  trainHead,
  type HeadTrunk,
  type SentenceEncoder,
  type TrainHeadInput,
  type Trunk,
} from "@triptych/decisions";
import { median } from "@triptych/util";

export interface ComparedExample {
  readonly text: string;
  readonly route: string | null;
}

export interface ComparedModel {
  readonly model: "trunk" | "encoder";
  readonly n: number;
  readonly accuracy: number;
  readonly macro_f1: number;
  readonly ece: number;
  /** Time to encode and decide one text; the median of up to 100 texts. */
  readonly us_per_decision: number;
}

const TIMED_TEXTS = 100;

export async function compareEncoders(
  { trunk, encoder }: { readonly trunk: Trunk; readonly encoder: SentenceEncoder },
  examples: readonly ComparedExample[],
): Promise<readonly ComparedModel[]> {
  const timed = examples.slice(0, TIMED_TEXTS);
  const routes = routesOf(examples);
  const ofTrunk = trained(trunk, { routes, examples });
  const trunkHead = loadHead(ofTrunk.bytes, trunk);
  const ofEncoder = trained(await encodedAhead(encoder, textsOfTraining({ routes, examples })), { routes, examples });
  const encoderHead = openEncoderHead(ofEncoder.bytes, encoder);
  return [
    {
      model: "trunk",
      ...ofTrunk.figures,
      us_per_decision: await medianMicroseconds(timed, ({ text }) => trunkHead.decide(trunk.encode(text, ""))),
    },
    {
      model: "encoder",
      ...ofEncoder.figures,
      us_per_decision: await medianMicroseconds(timed, async ({ text }) => {
        const { vector } = await encoder.encode(text);
        return encoderHead.decide({ ...trunk.encode(text, ""), sentence: vector });
      }),
    },
  ];
}

function routesOf(examples: readonly ComparedExample[]) {
  return [...new Set(examples.flatMap(({ route }) => route ?? []))].map((route) => ({ route }));
}

/** The training report is cross-fitted, so its figures can be compared. */
function trained(trunk: HeadTrunk, { routes, examples }: Pick<TrainHeadInput, "routes" | "examples">) {
  const { bytes, report } = trainHead(trunk, { name: "compared", routes, examples });
  const { n, accuracy, macro_f1, ece } = report;
  return {
    bytes,
    figures: { n: Number(n), accuracy: Number(accuracy), macro_f1: Number(macro_f1), ece: Number(ece) },
  };
}

async function medianMicroseconds<T>(items: readonly T[], work: (item: T) => unknown): Promise<number> {
  const times: number[] = [];
  for (const item of items) {
    const began = performance.now();
    await work(item);
    times.push((performance.now() - began) * 1000);
  }
  return median(times);
}
