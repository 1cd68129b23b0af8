/** Requests with options, built from the topics of the small trunk: enough to train an options scorer in a test. */
import type { OptionEntry } from "../../src/options/option.ts";
import type { ChoiceRow } from "../../src/options/train-options.ts";
import { TOPICS } from "./small-trunk.ts";

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  weather: "Tells the weather forecast: rain, sun, temperature.",
  refund: "Gives money back for an order: a refund or a return of the payment.",
  password: "Changes the password of an account when the login does not work.",
  chat: "Talks: greetings, jokes, thanks.",
};

export function entry(label: string): OptionEntry {
  return { label, description: DESCRIPTIONS[label] ?? "", parameters: [], examples: [] };
}

/** Each row has two to four options; in every fifth row, none fits. */
export function choiceRows(): ChoiceRow[] {
  const topics = Object.keys(TOPICS);
  return Object.entries(TOPICS).flatMap(([topic, texts]) =>
    texts.map((text, index) => {
      const others = topics.filter((other) => other !== topic).slice(0, 1 + (index % 3));
      const fitting = index % 5 !== 4;
      return {
        text,
        options: [...(fitting ? [topic] : []), ...others].map(entry),
        expected: fitting ? topic : null,
        group: text,
        use: "all",
      };
    }),
  );
}
