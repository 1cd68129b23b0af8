/** nlp.js with its default settings. */
import { createRequire } from "node:module";
import { answerRequest } from "./peer.ts";

interface Manager {
  addDocument(language: string, text: string, label: string): void;
  train(): Promise<void>;
  process(
    language: string,
    text: string,
  ): Promise<{ readonly classifications: readonly { readonly intent: string; readonly score: number }[] }>;
}

interface NodeNlp {
  readonly NlpManager: new (settings: object) => Manager;
}

const { NlpManager }: NodeNlp = createRequire(import.meta.url)("node-nlp");

await answerRequest(async ({ language, train }) => {
  const manager = new NlpManager({ languages: [language], autoSave: false, autoLoad: false, nlu: { log: false } });
  for (const { text, label } of train) manager.addDocument(language, text, label);
  await manager.train();
  return async (text) => {
    const { classifications } = await manager.process(language, text);
    // "None" is an answer, too, but the best label counts here, as with every other peer.
    const best = classifications.find(({ intent }) => intent !== "None");
    return { label: best?.intent ?? "", score: best?.score ?? 0, confidence: best?.score ?? 0 };
  };
});
