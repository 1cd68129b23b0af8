/**
 * The French texts of the sample, composed from facts. Three phrasings alternate, so that search results vary as in
 * real data.
 */
import type { Departement, Region } from "../reference.ts";
import type { Prefecture } from "./prefectures.ts";
import type { RegionFacts } from "./region-facts.ts";
import { TOWN_FACTS } from "./town-facts.ts";

export interface Seat {
  readonly prefecture: Prefecture;
  readonly departement: Departement;
  readonly region: Region;
  /** Its préfet is also the préfet of the région. */
  readonly seatOfRegion: boolean;
}

interface Prose {
  readonly summary: string;
  readonly description: string;
}

/** `de l'Ain`, `du Cantal`, `de La Réunion`. */
export function namedAfter({ prefecture, departement }: Seat): string {
  return `${prefecture.article}${departement.nom}`;
}

export function placeProse(seat: Seat, index: number): Prose {
  const { prefecture, region } = seat;
  const { town, site } = prefecture;
  const whose = namedAfter(seat);
  const where = isOverseas(seat) ? "outre-mer" : `en région ${region.nom}`;
  const opening = turn(index, [
    `${town} est la préfecture du département ${whose}, ${where}.`,
    `Chef-lieu du département ${whose}, ${town} se trouve ${where}.`,
    `C'est ${at(town)} que siège le préfet ${whose}, ${where}.`,
  ]);
  const setting = turn(index, [
    `La ville est située ${site}.`,
    `Elle s'est développée ${site}.`,
    `La ville se trouve ${site}.`,
  ]);
  const rank =
    seat.seatOfRegion && !isOverseas(seat)
      ? [`Elle est aussi le siège de la préfecture de la région ${region.nom}.`]
      : [];
  return {
    summary: turn(index, [
      `Préfecture ${whose}, ${site}.`,
      `Chef-lieu ${whose}, ville située ${site}.`,
      `Ville préfecture ${whose}, ${site}.`,
    ]),
    description: [opening, setting, ...rank, TOWN_FACTS[prefecture.departement] ?? ""].join(" ").trim(),
  };
}

export function actorProse(seat: Seat, index: number): Prose {
  const { town } = seat.prefecture;
  const whose = namedAfter(seat);
  const opening = turn(index, [
    `La préfecture ${whose} représente l'État dans le département.`,
    `Le préfet ${whose} y représente le Premier ministre et chacun des ministres.`,
    `La préfecture ${whose} réunit, sous l'autorité du préfet, des services de l'État.`,
  ]);
  const duty = turn(index, [
    "Elle contrôle la légalité des actes des collectivités et organise les élections.",
    "Ses services accueillent les usagers, reçoivent les étrangers et suivent les associations.",
    "Elle prépare la réponse aux crises, aide les communes et coordonne les politiques de l'État.",
  ]);
  const rank =
    seat.seatOfRegion && !isOverseas(seat) ? [`Son préfet est aussi préfet de la région ${seat.region.nom}.`] : [];
  return {
    summary: turn(index, [
      `Services de l'État pour le département ${whose}, ${at(town)}.`,
      `Représentation de l'État pour le département ${whose} ; elle siège ${at(town)}.`,
      `Service public de l'État installé ${at(town)}, pour tout le département ${whose}.`,
    ]),
    description: [opening, `Elle a son siège ${at(town)}.`, duty, ...rank].join(" "),
  };
}

export function articleProse({ site, fact }: RegionFacts, seat: Seat, members: readonly Seat[]): Prose {
  const { town } = seat.prefecture;
  const { nom } = seat.region;
  if (isOverseas(seat)) {
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

function isOverseas({ departement }: Seat): boolean {
  return departement.code.startsWith("97");
}

/** `à Laon`, `au Mans`, `à La Rochelle`. */
function at(town: string): string {
  return town.startsWith("Le ") ? `au ${town.slice(3)}` : `à ${town}`;
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} et ${names.at(-1) ?? ""}`;
}

function turn(index: number, phrases: readonly [string, string, string]): string {
  return phrases[index % 3] ?? phrases[0];
}
