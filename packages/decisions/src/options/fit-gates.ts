/** Fits gates and floors, each with models that had not seen the options of the row. */
import { fitStandardized, logisticOf, type Logistic } from "../calibration/logistic.ts";
import { bestFloor, floorForFalseCalls, type FloorRow } from "./calibrate-options.ts";
import { rowsWhere, type ChoiceList } from "./choice-list.ts";
import { GATE_WIDTH, type Gate, type Gates } from "./gate.ts";

export const FOLDS = 5;
const GATE_RIDGE = 10;
/** The share of requests without a fitting option that the gate for options without parameters may accept. */
const FALSE_CALLS = 0.1;

export function perFold<T>(foldOf: Int32Array, fit: (uses: (row: number) => boolean) => T): readonly T[] {
  return Array.from({ length: FOLDS }, (_, fold) => fit((row) => foldOf[row] !== fold));
}

interface Folded {
  readonly lists: readonly ChoiceList[];
  readonly foldOf: Int32Array;
}

type FittedGates = Readonly<Record<keyof Gates, FittedGate>>;

export function fitGates({ lists, foldOf }: Folded, features: (row: number) => Float64Array): FittedGates {
  const gated = rowsWhere(lists, ({ use, remainder }) => (use === "all" || use === "gate") && !remainder);
  const fitOn = (functions: boolean) => {
    const own = gated.filter((row) => lists[row].functions === functions);
    const members = (own.length > 0 ? own : gated).map((row): GateRow => [row, features(row)]);
    return fitGate(members, { lists, foldOf });
  };
  const functions = fitOn(true);
  const plain = fitOn(false);
  return {
    schema: withFloor(functions, ({ gate }) => gate === "schema"),
    functions: withFloor(functions, ({ gate }) => gate === "functions"),
    // Near misses among functions say little about intents, so the floor comes from the rows of intents and experts.
    plain: withFloor(
      plain,
      ({ use }) => use === "gate",
      (rows) => floorForFalseCalls(rows, FALSE_CALLS),
    ),
  };

  /** The floor of the rows that apply, or of all rows if none applies. */
  function withFloor(
    { judged, ...fitted }: ReturnType<typeof fitGate>,
    applies: (list: ChoiceList) => boolean,
    floorOf: FloorRule = bestFloor,
  ): FittedGate {
    const own = judged.filter(({ row }) => applies(lists[row]));
    return { ...fitted, floor: own.length > 0 ? floorOf(own) : bestFloor(judged) };
  }
}

interface GatedRow extends FloorRow {
  readonly row: number;
}

type FloorRule = (rows: readonly GatedRow[]) => number;

type GateRow = readonly [row: number, features: Float64Array];

export interface FittedGate extends Gate {
  /** For each fold, the gate that had not seen it. */
  readonly unseen: readonly Logistic[];
}

/** `judged` comes from the gates that had not seen the options of the row. */
function fitGate(members: readonly GateRow[], { lists, foldOf }: Folded) {
  const unseen = perFold(foldOf, (uses) =>
    gateOn(
      members.filter(([row]) => uses(row)),
      lists,
    ),
  );
  const judged = members.map(([row, own]): GatedRow => ({
    row,
    fits: logisticOf(unseen[foldOf[row]], own),
    fitting: lists[row].right >= 0,
  }));
  return { fits: gateOn(members, lists), unseen, judged };
}

function gateOn(members: readonly GateRow[], lists: readonly ChoiceList[]): Logistic {
  const features = new Float64Array(members.length * GATE_WIDTH);
  for (const [index, [, own]] of members.entries()) features.set(own, index * GATE_WIDTH);
  const targets = members.map(([row]) => (lists[row].right >= 0 ? 1 : 0));
  return fitStandardized({ features, width: GATE_WIDTH, targets, ridge: GATE_RIDGE });
}
