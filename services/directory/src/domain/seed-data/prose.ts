/** Three phrasings alternate, so that search results vary as in real data. */
import type { Departement, Region } from "../reference.ts";
import type { Prefecture } from "./prefectures.ts";
import type { RegionFacts } from "./region-facts.ts";
import { TOWN_FACTS } from "./town-facts.ts";

export interface PrefectureEntry {
  readonly prefecture: Prefecture;
  readonly departement: Departement;
  readonly region: Region;
  /** Its préfet is also the préfet of the région. */
  readonly isRegionCapital: boolean;
}

interface Prose {
  readonly summary: string;
  readonly description: string;
}

/** `de l'Ain`, `du Cantal`, `de La Réunion`. */
export function namedAfter({ prefecture, departement }: PrefectureEntry): string {
  return `${prefecture.article}${departement.nom}`;
}

export function placeProse(entry: PrefectureEntry, index: number): Prose {
  const { prefecture, region } = entry;
  const { town, site } = prefecture;
  const whose = namedAfter(entry);
  const where = isOverseas(entry) ? "outre-mer" : `en région ${region.nom}`;
  const opening = pickPhrase(index, [
    `${town} est la préfecture du département ${whose}, ${where}.`,
    `Chef-lieu du département ${whose}, ${town} se trouve ${where}.`,
    `C'est ${at(town)} que siège le préfet ${whose}, ${where}.`,
  ]);
  const setting = pickPhrase(index, [
    `La ville est située ${site}.`,
    `Elle s'est développée ${site}.`,
    `La ville se trouve ${site}.`,
  ]);
  const rank =
    entry.isRegionCapital && !isOverseas(entry)
      ? [`Elle est aussi le siège de la préfecture de la région ${region.nom}.`]
      : [];
  return {
    summary: pickPhrase(index, [
      `Préfecture ${whose}, ${site}.`,
      `Chef-lieu ${whose}, ville située ${site}.`,
      `Ville préfecture ${whose}, ${site}.`,
    ]),
    description: [opening, setting, ...rank, TOWN_FACTS[prefecture.departement] ?? ""].join(" ").trim(),
  };
}

export function actorProse(entry: PrefectureEntry, index: number): Prose {
  const { town } = entry.prefecture;
  const whose = namedAfter(entry);
  const opening = pickPhrase(index, [
    `La préfecture ${whose} représente l'État dans le département.`,
    `Le préfet ${whose} y représente le Premier ministre et chacun des ministres.`,
    `La préfecture ${whose} réunit, sous l'autorité du préfet, des services de l'État.`,
  ]);
  const duty = pickPhrase(index, [
    "Elle contrôle la légalité des actes des collectivités et organise les élections.",
    "Ses services accueillent les usagers, reçoivent les étrangers et suivent les associations.",
    "Elle prépare la réponse aux crises, aide les communes et coordonne les politiques de l'État.",
  ]);
  const rank =
    entry.isRegionCapital && !isOverseas(entry)
      ? [`Son préfet est aussi préfet de la région ${entry.region.nom}.`]
      : [];
  return {
    summary: pickPhrase(index, [
      `Services de l'État pour le département ${whose}, ${at(town)}.`,
      `Représentation de l'État pour le département ${whose} ; elle siège ${at(town)}.`,
      `Service public de l'État installé ${at(town)}, pour tout le département ${whose}.`,
    ]),
    description: [opening, `Elle a son siège ${at(town)}.`, duty, ...rank].join(" "),
  };
}

export function articleProse(
  { site, fact }: RegionFacts,
  entry: PrefectureEntry,
  members: readonly PrefectureEntry[],
): Prose {
  const { town } = entry.prefecture;
  const { nom } = entry.region;
  if (isOverseas(entry)) {
    return {
      summary: `Région d'outre-mer formée d'un seul département, avec sa préfecture ${at(town)}.`,
      description: `La région ${nom}, formée d'un seul département d'outre-mer, s'étend ${site}. Le préfet siège ${at(town)}. ${fact}`,
    };
  }
  const count = NUMBERS[members.length] ?? String(members.length);
  const towns = members.map((member) => member.prefecture.town);
  return {
    summary: `Région de ${count} départements, avec sa préfecture ${at(town)}.`,
    description: [
      `La région ${nom} compte ${count} départements et s'étend ${site}.`,
      `Le préfet de région siège ${at(town)}.`,
      `Ses préfectures sont ${listed(towns)}.`,
      fact,
    ].join(" "),
  };
}

const NUMBERS: Readonly<Record<number, string>> = {
  2: "deux",
  4: "quatre",
  5: "cinq",
  6: "six",
  8: "huit",
  10: "dix",
  12: "douze",
  13: "treize",
};

function isOverseas({ departement }: PrefectureEntry): boolean {
  return departement.code.startsWith("97");
}

/** `à Laon`, `au Mans`, `à La Rochelle`. */
function at(town: string): string {
  return town.startsWith("Le ") ? `au ${town.slice(3)}` : `à ${town}`;
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} et ${names.at(-1) ?? ""}`;
}

function pickPhrase(index: number, phrases: readonly [string, string, string]): string {
  return phrases[index % 3] ?? phrases[0];
}
