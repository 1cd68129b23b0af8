/** The naive Bayes classifier of `natural`, with the stemmer of the language. */
import { createRequire } from "node:module";
import { answerRequest } from "./peer.ts";

interface Classifier {
  addDocument(text: string, label: string): void;
  train(): void;
  getClassifications(text: string): readonly { readonly label: string; readonly value: number }[];
}

const require = createRequire(import.meta.url);
// The root of `natural` opens database clients and prints to stdout.
const BayesClassifier: new (
  stemmer: unknown,
) => Classifier = require("natural/lib/natural/classifiers/bayes_classifier");
const STEMMERS: Readonly<Record<string, string>> = { en: "porter_stemmer", fr: "porter_stemmer_fr" };

await answerRequest(({ language, train }) => {
  const classifier = new BayesClassifier(require(`natural/lib/natural/stemmers/${STEMMERS[language]}`));
  for (const { text, label } of train) classifier.addDocument(text, label);
  classifier.train();
  return (text) => {
    const values = classifier.getClassifications(text);
    const [best] = values;
    const confidence = best.value / values.reduce((sum, { value }) => sum + value, 0);
    return { label: best.label, score: confidence, confidence };
  };
});
