/**
 * Training data for escalation: exam questions that only the stronger model answered correctly (RouteLLM on MMLU and
 * GSM8K), and cross-fitted phrasings, which escalate if the route is `escalate`, a hand-off rule matches, or the
 * decision was wrong. One model covers both base rates (18 % and 10 %), because the surface signals distinguish them.
 */
import { loadBackground } from "../src/background/background.ts";
import { loadHead } from "../src/head/load-head.ts";
import { trainHead } from "../src/head/train-head.ts";
import { noulSignals, type SignalInput } from "../src/features/noul-features.ts";
import type { NoulRow } from "../src/features/train-features.ts";
import { hashText } from "../src/text/rows.ts";
import type { Trunk } from "../src/trunk/trunk.ts";
import type { DataFolder } from "./data-folder.ts";
import { isHeldOut, readPhrasings, type PhrasedExpert, type PhrasedText } from "./phrasings.ts";

export interface SourcedNoulRow extends NoulRow {
  readonly source: string;
  /** Rows of one group stay in one fold. */
  readonly group: string;
  /** For questions: whether the weaker model was correct, and whether the stronger one was. */
  readonly weak: boolean;
  readonly strong: boolean;
}

export interface AnsweredRow {
  readonly text: string;
  readonly weak_correct: boolean;
  readonly strong_correct: boolean;
  readonly subject?: string;
}

const HALF_SEED = 0x510e527f;
const ANSWERED = [
  ["mmlu", "escalate/routellm_mmlu_dev.jsonl.gz"],
  ["gsm8k", "escalate/routellm_gsm8k_dev.jsonl"],
] as const;

/** `every`: takes one row in this many from each source, for quick runs. */
export function readNoulRows(data: DataFolder, trunk: Trunk, { every = 1 } = {}): readonly SourcedNoulRow[] {
  const outside = outsideTexts(data);
  const phrased = {
    tools: crossFitted(phrasedTexts("tools", data, every), { expert: "tools", outside, trunk }),
    helpdesk: crossFitted(phrasedTexts("helpdesk", data, every), { expert: "helpdesk", outside, trunk }),
  };
  const answered = ANSWERED.flatMap(([source, file]) =>
    everyNth(every, data.typed(file, "signals", isAnswered)).map((row) =>
      answeredRow(phrased.tools.ask(row.text), source, row),
    ),
  );
  return [...answered, ...phrased.tools.rows, ...phrased.helpdesk.rows];
}

/** All training texts of the rows and of the heads that decide them. */
export function noulTexts(data: DataFolder): readonly string[] {
  const answered = ANSWERED.flatMap(([, file]) => data.typed(file, "signals", isAnswered));
  const phrased = (["tools", "helpdesk"] as const).flatMap((expert) => phrasedTexts(expert, data, 1));
  return [...outsideTexts(data), ...[...answered, ...phrased].map(({ text }) => text)];
}

/** A question answered by two models; `input` contains the preceding route decision. */
export function answeredRow(input: SignalInput, source: string, row: AnsweredRow): SourcedNoulRow {
  return {
    ...input,
    source,
    group: row.subject ?? row.text,
    escalate: row.strong_correct && !row.weak_correct,
    weak: row.weak_correct,
    strong: row.strong_correct,
  };
}

function outsideTexts(data: DataFolder): readonly string[] {
  return data.rows("oos/CLINC150/train.jsonl", "signals", { texts: ["text"] }).map(({ text }) => text);
}

function everyNth<T>(every: number, rows: readonly T[]): readonly T[] {
  return rows.filter((_, index) => index % every === 0);
}

function phrasedTexts(expert: PhrasedExpert, data: DataFolder, every: number): readonly PhrasedText[] {
  return (["en", "fr"] as const).flatMap((language) => {
    const included = readPhrasings(expert, language).filter((row) => !isHeldOut(row) && !data.isHeldOut(row.text));
    return everyNth(
      every,
      [...Map.groupBy(included, ({ template }) => template).values()].map(([first]) => first),
    );
  });
}

/** Each text is decided by a head that was trained on the other half of the templates. */
function crossFitted(
  texts: readonly PhrasedText[],
  {
    expert,
    outside,
    trunk,
  }: { readonly expert: PhrasedExpert; readonly outside: readonly string[]; readonly trunk: Trunk },
) {
  const background = loadBackground();
  const halfOf = ({ template }: PhrasedText) => hashText(template, HALF_SEED) % 2;
  const heads = [1, 0].map((half) => {
    const examples = [
      ...texts.filter((text) => halfOf(text) === half).map(({ text, route }) => ({ text, route })),
      ...outside.map((text) => ({ text, route: null })),
    ];
    const routes = [...new Set(texts.map(({ route }) => route))].map((route) => ({ route }));
    const { bytes } = trainHead(trunk, {
      name: expert,
      routes,
      examples,
      plus: false,
      background,
    });
    return loadHead(bytes, trunk);
  });
  const rows = texts.map((phrased): SourcedNoulRow => {
    const { route, ...input } = decideBy(phrased.text, halfOf(phrased));
    const escalate = phrased.route === "escalate" || route !== phrased.route || noulSignals(input).rules.length > 0;
    const source = `${expert} ${phrased.language}`;
    return { ...input, escalate, source, group: phrased.template, weak: !escalate, strong: true };
  });
  return { rows, ask: (text: string) => decideBy(text, 0) };

  /** Decides with the head that was trained without this half. */
  function decideBy(state: string, half: number) {
    const encoding = trunk.encode(state);
    const head = heads[half];
    const { choice, confidence, margin, scope } = head.decide(encoding);
    return { state, encoding, confidence, margin, scope, route: head.routes[choice].route };
  }
}

export function isAnswered(row: unknown): row is AnsweredRow {
  if (typeof row !== "object" || row === null) return false;
  const member = (name: string): unknown => Reflect.get(row, name);
  return (
    typeof member("text") === "string" &&
    typeof member("weak_correct") === "boolean" &&
    typeof member("strong_correct") === "boolean" &&
    (member("subject") === undefined || typeof member("subject") === "string")
  );
}
