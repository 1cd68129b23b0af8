/**
 * What the release answers to two hundred texts, to the last bit: forty sentences of five forms each. A row holds the text, what a person
 * would look at first, and the SHA-256 of all numbers of all models.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { canonicalJson } from "@triptych/contracts";
import { ARTIFACTS, probeAnswer, type Artifacts } from "@triptych/decisions";

export const ANSWERS = new URL("answers.tsv", import.meta.url);

const SENTENCES = [
  "What will the sky do over Lyon on Sunday?",
  "How much is 18 % of 2 450?",
  "Wake me at six tomorrow",
  "Who wrote The Leopard?",
  "Put the minutes of today into notes.txt",
  "Turn 12 miles into kilometres",
  "Say good night in Portuguese",
  "My parcel should have been here last week",
  "The card was charged twice and I want it back",
  "I cannot get into my account since the update",
  "Let me speak to somebody who can decide",
  "My lawyer will write to you about this",
  "Hello, nice to meet you",
  "Stop the subscription at the end of the month",
  "Delete everything that you know about me",
  "Run the tests and tell me which fail",
  "Fetch https://example.org/status and read it to me",
  "Compare the three offers, plan the trip, book it and write to the team",
  "The export button does nothing in the new version",
  "Is it later in Tokyo than here?",
  "Quel temps fera-t-il à Brest ce week-end ?",
  "Combien font 37 fois 49 ?",
  "Rappelle-moi d'appeler le garage à 17 h",
  "Qui a peint la Joconde ?",
  "Écris la liste des courses dans courses.txt",
  "Convertis 80 livres en kilos",
  "Comment dit-on merci en japonais ?",
  "Je n'ai toujours pas reçu ma commande",
  "J'ai payé deux fois, remboursez-moi",
  "Mon mot de passe ne marche plus",
  "Je veux parler à un être humain",
  "Je vais porter plainte",
  "Salut, ça va ?",
  "Résiliez mon contrat s'il vous plaît",
  "Supprimez toutes mes données",
  "Lance la sauvegarde du serveur",
  "Envoie un courriel à Paul pour décaler la réunion",
  "Explique la différence, puis choisis, réserve et préviens tout le monde",
  "L'application plante quand j'ouvre une facture",
  "Il est quelle heure à New York ?",
];

const FORMS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  // A letter goes missing, as it does.
  (text) => text.slice(0, 7) + text.slice(8),
  (text) => `${text} — 😀 ${text}`,
  (text) => text.split(" ").slice(0, 3).join(" "),
];

/** Of the trained files that answer: another release has other answers. */
export function releaseOf(): string {
  return digestOf(readFileSync(new URL("manifest.json", ARTIFACTS), "utf8"));
}

/** Lines of the file: the release, then a row for each text. */
export function goldenLines(artifacts: Artifacts): string[] {
  const rows = SENTENCES.flatMap((sentence) => FORMS.map((form) => goldenRow(artifacts, form(sentence))));
  return [releaseOf(), ...rows];
}

function goldenRow(artifacts: Artifacts, state: string): string {
  const { trunk, experts, noul, score } = artifacts;
  const encoding = trunk.encode(state);
  const decided = [...experts].map(([name, head]) => {
    const { probabilities, choice, confidence, margin, scope, set } = head.decide(encoding);
    return {
      name,
      choice: head.routes[choice].route,
      probabilities: [...probabilities],
      confidence,
      margin,
      scope,
      set,
    };
  });
  const input = { state, encoding, confidence: 0.5, margin: 0.25, scope: null };
  const { pYes, rules } = noul.decide(input);
  const { complexity } = score.decide(input);
  const all = { probe: probeAnswer(artifacts, state), decided, pYes, rules: [...rules] };
  const shown = decided.map(({ choice, confidence }) => `${choice} ${confidence}`);
  return [state, ...shown, pYes, complexity, digestOf(canonicalJson(all))].join("\t");
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
