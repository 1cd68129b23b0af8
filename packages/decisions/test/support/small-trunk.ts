/** A trunk of 48 dimensions, trained by the real recipe on a few phrasings within a second. */
import { createCorpus } from "../../src/trunk/corpus.ts";
import { trainRows, type Batch } from "../../src/trunk/train-trunk.ts";
import { hashOfWord } from "../../src/text/rows.ts";
import { loadTrunk, writeTrunk, type Trunk } from "../../src/trunk/trunk.ts";
import type { HeadExample } from "../../src/head/examples.ts";

const DIMS = 48;
const WEIGHTS = { pieceWeight: 1, pairWeight: 0.7 };

export const TOPICS: Readonly<Record<string, readonly string[]>> = {
  weather: [
    "will it rain",
    "is it sunny",
    "weather today",
    "do I need an umbrella",
    "how cold is it outside",
    "forecast for the weekend",
    "is a storm coming",
    "temperature tomorrow",
  ],
  refund: [
    "I want my money back",
    "refund my order",
    "return the payment",
    "please reimburse me",
    "give me a refund",
    "money back for the broken lamp",
    "reimburse the double charge",
    "pay me back",
  ],
  password: [
    "I forgot my password",
    "reset my password",
    "cannot log in any more",
    "new password please",
    "my login does not work",
    "change the password of my account",
    "locked out of the account",
    "the passcode is lost",
  ],
  chat: [
    "hello there",
    "good morning",
    "how are you",
    "tell me a joke",
    "thanks a lot",
    "who made you",
    "nice to meet you",
    "you are funny",
  ],
};

const FRAMES = ["{}", "please, {}", "{}?", "hi, {}", "{} thank you", "well, {} now", "so {}", "can you help: {}"];

export function examples(): HeadExample[] {
  return Object.entries(TOPICS).flatMap(([route, texts]) =>
    texts.flatMap((text) => FRAMES.map((frame) => ({ text: frame.replace("{}", text), route, group: text }))),
  );
}

export function trainSmallTrunk(): Uint8Array {
  const words = new Set(examples().flatMap(({ text }) => text.toLowerCase().split(" ")));
  const own = Uint32Array.from([...words].toSorted().slice(0, 40), hashOfWord);
  const corpus = createCorpus({ rows: 1024, own: new Map([...own].map((hash, row) => [hash, row])) });
  const groups = Object.values(TOPICS).map((texts) => texts.map((text) => corpus.add(text)));
  const source = {
    name: "topics",
    share: 1,
    draw(random: () => number, size: number, out: Batch) {
      for (let index = 0; index < size; index++) {
        const group = Math.floor(random() * groups.length);
        out.left[index] = groups[group][Math.floor(random() * groups[group].length)];
        out.right[index] = groups[group][Math.floor(random() * groups[group].length)];
        out.classes[index] = group;
      }
    },
  };
  const { rows } = trainRows(corpus, [source], {
    dims: DIMS,
    batch: 16,
    batches: 60,
    temperature: 0.1,
    rate: 0.1,
    dropout: 0.1,
    seed: 3,
    initial: 0.15,
    common: 1,
    ...WEIGHTS,
  });
  return writeTrunk(rows, own, { dims: DIMS, contextWeight: 0.3, ...WEIGHTS });
}

export function smallTrunk(): Trunk {
  return loadTrunk(trainSmallTrunk());
}
