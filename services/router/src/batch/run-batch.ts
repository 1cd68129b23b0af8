/** Decides every line of a file once, even across interruptions. */
import { createHash } from "node:crypto";
import { decisionErrorText, type Decided, type LineDecider } from "../deciding/decide-line.ts";
import { inOrder } from "../deciding/in-order.ts";
import { ENDPOINTS, type Api } from "../deciding/wires.ts";
import { inputLines, type InputLine, type LineReader } from "./input.ts";
import { openOutput, readFinished, requestDigest, type FinishedPart } from "./output.ts";

export interface BatchOptions {
  readonly input: string;
  readonly output: string;
  readonly api: Api;
  /** Part of the idempotency keys: with another name, lines are decided and paid for again. */
  readonly run: string;
  readonly concurrency: number;
  /** Limit for all lines in the output, including those of earlier runs; null for no limit. */
  readonly maxCostMicro: number | null;
  readonly priceMicro: number;
}

export interface BatchParts {
  readonly reader: LineReader;
  readonly decider: LineDecider;
  onProgress(summary: BatchSummary): void;
}

export interface BatchSummary {
  /** Lines in the output. */
  readonly lines: number;
  /** Lines of earlier runs. */
  readonly earlier: number;
  readonly replayed: number;
  readonly costMicro: number;
  readonly isComplete: boolean;
}

/** The output was made from another input. */
export class ChangedInputError extends Error {}

export async function runBatch(options: BatchOptions, parts: BatchParts): Promise<BatchSummary> {
  const { input, output, concurrency, maxCostMicro, priceMicro } = options;
  const finished = await readFinished(output);
  const { reader, decider, onProgress } = parts;
  let [lines, replayed, costMicro, reserved] = [finished.lines, 0, finished.costMicro, 0];
  const summary = (isComplete: boolean): BatchSummary => {
    return { lines, earlier: finished.lines, replayed, costMicro, isComplete };
  };
  const rest = await unfinishedLines(inputLines(input, reader), finished);
  await using file = await openOutput(output, finished);
  const isComplete = await inOrder<InputLine, Decided>(rest, {
    concurrency,
    mayStart: () => maxCostMicro === null || costMicro + reserved + priceMicro <= maxCostMicro,
    async work({ number, body }) {
      reserved += priceMicro;
      return await decideLine(decider, { number, body, options });
    },
    async onResult({ body: answer, charge, costMicro: cost, isReplayed }, { number, body }) {
      await file.append({
        line: number,
        request_sha256: requestDigest(body),
        answer,
        ...(charge !== null && { charge }),
        cost_micro: cost,
      });
      reserved -= priceMicro;
      costMicro += cost;
      lines += 1;
      if (isReplayed) replayed += 1;
      onProgress(summary(false));
    },
  });
  return summary(isComplete);
}

/** Skips the finished lines, and throws if they differ from the input, before anything is written. */
async function unfinishedLines(lines: AsyncGenerator<InputLine>, { digests }: FinishedPart) {
  for (const [index, digest] of digests.entries()) {
    const next = await lines.next();
    if (next.done === true)
      throw new ChangedInputError(`The output has ${digests.length} lines, but the input only ${index}.`);
    if (requestDigest(next.value.body) !== digest)
      throw new ChangedInputError(`Line ${index + 1} of the input or the options differ from those of the output.`);
  }
  return lines;
}

interface LineRequest extends InputLine {
  readonly options: Pick<BatchOptions, "api" | "run">;
}

async function decideLine(decider: LineDecider, line: LineRequest): Promise<Decided> {
  try {
    return await decider.decide(line.body, idempotencyKey(line));
  } catch (error) {
    throw new Error(`Line ${line.number}: ${decisionErrorText(error)}`, { cause: error });
  }
}

/** The same in every run for the same line, so that the server decides and charges it once. */
function idempotencyKey({ number, body, options: { api, run } }: LineRequest): string {
  const parts = [run, ENDPOINTS[api].path, String(number), requestDigest(body)];
  return `batch-${createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 48)}`;
}
