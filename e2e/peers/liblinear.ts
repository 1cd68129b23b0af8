/**
 * tf-idf with a linear SVM (`svm`) or logistic regression (`lr`) of LIBLINEAR. `liblinear-train` trains; C is the best
 * of several in three-fold cross-validation on the training texts. This module decides, from the model file.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answerRequest, type Decide, type PeerRequest } from "./peer.ts";
import { fitTfidf, type SparseVector, type Vectorizer } from "./tfidf.ts";

const METHODS = {
  svm: { solver: "1", costs: [0.1, 0.3, 1, 3, 10], isProbability: false },
  lr: { solver: "7", costs: [1, 3, 10, 30], isProbability: true },
};
const FOLDS = "3";

const method = process.argv[2] === "lr" ? METHODS.lr : METHODS.svm;
await answerRequest(trainLinear);

function trainLinear({ train }: PeerRequest): Decide {
  const vectorizer = fitTfidf(train.map(({ text }) => text));
  const labels = [...new Set(train.map(({ label }) => label))];
  const lines = train.map(({ text, label }) => rowOf(labels.indexOf(label), vectorizer.vectorOf(text)));
  const folder = mkdtempSync(join(tmpdir(), "liblinear-"));
  try {
    const rows = join(folder, "rows");
    writeFileSync(rows, `${lines.join("\n")}\n`);
    const cost = bestCost(rows);
    const model = join(folder, "model");
    liblinearTrain(["-c", String(cost), rows, model]);
    return deciderOf(readFileSync(model, "utf8"), labels, vectorizer);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Feature numbers begin at 1. */
function rowOf(label: number, { ids, values }: SparseVector): string {
  return [label, ...ids.map((id, index) => `${id + 1}:${values[index].toFixed(6)}`)].join(" ");
}

/** Ties go to the smaller cost. */
function bestCost(rows: string): number {
  const accuracies = method.costs.map((cost) => {
    const output = liblinearTrain(["-c", String(cost), "-v", FOLDS, rows]);
    return Number(/Accuracy = ([\d.]+)%/.exec(output)?.[1] ?? 0);
  });
  return method.costs[accuracies.indexOf(Math.max(...accuracies))];
}

function liblinearTrain(args: readonly string[]): string {
  return execFileSync("liblinear-train", ["-q", "-s", method.solver, "-B", "1", ...args], { encoding: "utf8" });
}

/** A model of two labels has one column of weights: positive means the first label. */
function deciderOf(file: string, labels: readonly string[], vectorizer: Vectorizer): Decide {
  const lines = file.trim().split("\n");
  const order = (lines.find((line) => line.startsWith("label ")) ?? "").split(" ").slice(1).map(Number);
  const weights = lines.slice(lines.indexOf("w") + 1).map((line) => line.trim().split(" ").map(Number));
  const columns = weights[0]?.length ?? 0;
  const bias = weights[vectorizer.size];
  return (text) => {
    const { ids, values } = vectorizer.vectorOf(text);
    const margins = [...bias];
    for (const [index, id] of ids.entries())
      for (let column = 0; column < columns; column++) margins[column] += values[index] * weights[id][column];
    const scores = columns === 1 ? [margins[0], -margins[0]] : margins;
    const best = scores.indexOf(Math.max(...scores));
    const probabilities = scores.map((score) => 1 / (1 + Math.exp(-score)));
    const confidence = probabilities[best] / probabilities.reduce((sum, value) => sum + value, 0);
    return {
      label: labels[order[best]],
      score: method.isProbability ? confidence : scores[best],
      confidence: method.isProbability ? confidence : null,
    };
  };
}
