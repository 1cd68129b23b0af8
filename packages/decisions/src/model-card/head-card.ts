/**
 * The model card of a head as Markdown, generated only from the file, so that it contains only measured figures: data
 * and licenses, splits, metrics with intervals, risk curve, confusions, limits, hashes.
 */
import type { Json } from "../artifact/header-values.ts";
import { thresholdFor } from "../calibration/risk.ts";
import { readHead, type Calibration, type HeadRoute } from "../head/head-file.ts";

/** The static trunk of the release, or a sentence encoder of the operator. */
type BaseModel = "trunk" | "encoder";
type Members = { readonly [name: string]: Json };

/**
 * `trunk` is the identity of the base model, and `baseModel` its kind. Throws an ArtifactError if the file is invalid
 * or has another base model.
 */
export function headCard(bytes: Uint8Array, trunk: string, baseModel: BaseModel = "trunk"): string {
  const { name, routes, calibration, card, sha256, denseBytes, plusBytes } = readHead(bytes, trunk);
  const report = membersOf(card["report"]);
  return [
    `# Head \`${name}\``,
    intended(routes, baseModel),
    `## Data`,
    dataText(card),
    routesTable(routes, membersOf(card["features"])),
    `## Protocol and metrics`,
    `${textOf(report["protocol"], "unknown protocol")}: every row was evaluated by a model that had seen neither it nor any text of the same phrasing. ${formatNumber(report["n"])} rows.`,
    metricsTable(report),
    recalibrationText(card, calibration),
    `## Confidence thresholds`,
    riskTable(calibration),
    `## Confusions`,
    confusionsText(report),
    `## Limits`,
    limits(card, calibration, baseModel),
    `## Hashes`,
    table(
      ["", ""],
      [
        ["head file", `sha256:${sha256}`],
        [baseModel === "trunk" ? "trunk" : "sentence encoder", `sha256:${trunk}`],
        ["dense part", `${denseBytes} bytes`],
        ["lexical part", `${plusBytes} bytes`],
        ["calibration revision", String(calibration.revision)],
        ["seed", formatNumber(card["seed"])],
      ],
    ),
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .concat("\n");
}

function intended(routes: readonly HeadRoute[], baseModel: BaseModel): string {
  const frozen = baseModel === "trunk" ? "trunk of hashed n-grams" : "sentence encoder of the operator (ONNX)";
  return `Chooses one of ${routes.length} routes for a request, with the probability that the choice is correct. Frozen ${frozen}, multinomial logistic regression, sparse lexical part.`;
}

/** `data` of a shipped head lists its sources; a custom head was trained on its owner's examples. */
function dataText(card: Members): string {
  const sources = listOf(card["data"]).map(membersOf);
  if (sources.length === 0) return "Examples and phrasings of the head's owner, under the owner's own terms.";
  return table(
    ["Source", "License", "Rows"],
    sources.map((source) => [textOf(source["name"], ""), textOf(source["licence"], ""), formatNumber(source["rows"])]),
  );
}

/** `features` are the strongest words per route. */
function routesTable(routes: readonly HeadRoute[], features: Members): string {
  return table(
    ["Route", "Kind", "Texts", "Strongest words", "Description"],
    routes.map(({ route, kind, texts, description }) => {
      const words = listOf(features[route]).map((word) => textOf(word, ""));
      return [route, kind, String(texts), words.join(" "), description];
    }),
  );
}

const METRICS = [
  ["Accuracy", "accuracy"],
  ["Macro F1", "macro_f1"],
  ["Negative log likelihood", "nll"],
  ["Brier score", "brier"],
  ["Calibration error", "ece"],
  ["Coverage at 95 % accuracy", "coverage_at_95"],
  ["Error rate at confidence 0.9 and above", "wrong_at_90"],
  ["Accuracy of always choosing the most common route", "majority"],
  ["Scope detection, area under the ROC curve", "scope_auroc"],
] as const;

function metricsTable(report: Members): string {
  const rows = METRICS.filter(([, name]) => typeof report[name] === "number").map(([title, name]) => [
    title,
    formatNumber(report[name]),
    intervalOf(report[`${name}_ci95`]),
  ]);
  const languages = listOf(report["languages"]).map(membersOf);
  const metrics = table(["Metric", "Value", "95 % interval"], rows);
  if (languages.length === 0) return metrics;
  const byLanguage = table(
    ["Language", "Texts", "Accuracy"],
    languages.map((language) => [
      textOf(language["lang"], "unknown"),
      formatNumber(language["n"]),
      formatNumber(language["accuracy"]),
    ]),
  );
  return `${metrics}\n\n${byLanguage}`;
}

function intervalOf(value: Json | undefined): string {
  const [low, high] = listOf(value);
  return low === undefined || high === undefined ? "" : `${formatNumber(low)} to ${formatNumber(high)}`;
}

function recalibrationText(card: Members, { revision }: Calibration): string {
  const made = membersOf(card["recalibration"]);
  if (revision === 1 || made["rows"] === undefined) return "";
  const [nll, ece] = [membersOf(made["nll"]), membersOf(made["ece"])];
  return `Recalibrated on ${formatNumber(made["rows"])} labelled texts from production use (revision ${revision}); cross-fitted on them, the negative log likelihood went from ${formatNumber(nll["before"])} to ${formatNumber(nll["after"])}, the calibration error from ${formatNumber(ece["before"])} to ${formatNumber(ece["after"])}. The weights are unchanged.`;
}

const ERROR_RATES = [0.01, 0.02, 0.05, 0.1];

/** The proven thresholds, and ten points of the underlying curve. */
function riskTable({ risk, alpha, qhat }: Calibration): string {
  const proven = table(
    ["Target error rate", "Required confidence"],
    ERROR_RATES.map((errorRate) => [
      `at most ${errorRate}`,
      formatNumber(thresholdFor(risk, errorRate) ?? undefined, "not provable"),
    ]),
  );
  const step = Math.max(1, Math.ceil(risk.length / 10));
  const points = risk.filter((_, index) => index % step === step - 1 || index === risk.length - 1);
  const curve = table(
    ["Confidence at least", "Rows", "Wrong"],
    points.map(([threshold, rows, wrong]) => [formatNumber(threshold), String(rows), String(wrong)]),
  );
  return `${proven}\n\n${curve}\n\nConformal sets: alpha ${formatNumber(alpha)}, qhat ${formatNumber(qhat)}.`;
}

function confusionsText(report: Members): string {
  const confusions = listOf(report["confusions"]).map(listOf);
  if (confusions.length === 0) return "None.";
  return table(
    ["Correct", "Chosen", "Count"],
    confusions.map(([right, chosen, times]) => [textOf(right, ""), textOf(chosen, ""), formatNumber(times)]),
  );
}

function limits(card: Members, { scope }: Calibration, baseModel: BaseModel): string {
  const disputed = listOf(membersOf(card["report"])["contradictions"]).length;
  return [
    "- The figures hold for requests like the examples. Other languages, topics and phrasings were not measured.",
    scopeText(membersOf(membersOf(card["report"])["scope"]), scope !== null),
    ...(disputed > 0 ? [`- ${disputed} texts had conflicting labels; the most common label was used.`] : []),
    baseModel === "trunk"
      ? "- A static trunk reads words and word pieces, not sentences: it does not understand negation or long arguments."
      : "- It requires this encoder; the data, license and limits of the encoder are those of its authors.",
  ].join("\n");
}

function scopeText(sources: Members, hasScope: boolean): string {
  if (!hasScope)
    return "- No example was out of scope: the head cannot detect that no route fits, and may choose a wrong one with high confidence.";
  if (sources["share"] === undefined)
    return "- Scope detection was trained on the given examples; other out-of-scope requests may be accepted.";
  return `- Out of scope was calibrated at a share of ${formatNumber(sources["share"])}, with ${formatNumber(sources["examples"])} examples without a route, ${formatNumber(sources["background"])} background texts and ${formatNumber(sources["masked_examples"])} examples whose own route was taken away. With another share in use, the confidence is too high or too low until the head is recalibrated with feedback.`;
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(" | ")} |`;
  return [line(titles), `|${titles.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

/** Names and descriptions come from the owner: they must not end a cell or start markup. */
function escaped(cell: string): string {
  return cell.replaceAll(/[\\`*_[\]<>|]/g, "\\$&").replaceAll(/\s+/g, " ");
}

function formatNumber(value: Json | undefined, otherwise = "-"): string {
  if (typeof value !== "number") return otherwise;
  return Number.isInteger(value) ? String(value) : value.toPrecision(4);
}

function textOf(value: Json | undefined, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function membersOf(value: Json | undefined): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}
