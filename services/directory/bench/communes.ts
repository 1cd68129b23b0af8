/**
 * The communes of France with coordinates. Names and codes are from `@etalab/decoupage-administratif`, coordinates from the
 * BASILIC file if available, else a point in the département's box.
 */
import { createRequire } from "node:module";
import { existsSync, readFileSync } from "node:fs";
import { departementOfCommune, regionByCode, type Departement, type Region } from "../src/domain/reference.ts";
import type { Random } from "../test/support/random.ts";

const BASILIC = new URL("../../../../shared/data/directory/culture-communes-basilic.tsv", import.meta.url);

export interface BenchCommune {
  readonly code: string;
  readonly nom: string;
  readonly departement: Departement;
  readonly region: Region;
  readonly lat: number;
  readonly lon: number;
  readonly population: number;
}

interface ListedCommune {
  readonly code: string;
  readonly nom: string;
  readonly type: string;
  readonly population?: number;
}

export function benchCommunes(random: Random): BenchCommune[] {
  const listed: readonly ListedCommune[] = createRequire(import.meta.url)(
    "@etalab/decoupage-administratif/data/communes.json",
  );
  const coordinates = basilicCoordinates();
  return listed.flatMap(({ code, nom, type, population }) => {
    const departement = type === "commune-actuelle" ? departementOfCommune(code) : undefined;
    const region = departement === undefined ? undefined : regionByCode(departement.region);
    if (departement === undefined || region === undefined) return [];
    const [west, south, east, north] = departement.box;
    const guess: [number, number] = [south + random.next() * (north - south), west + random.next() * (east - west)];
    const [lat, lon] = coordinates.get(code) ?? guess;
    return [{ code, nom, departement, region, lat, lon, population: population ?? 100 }];
  });
}

function basilicCoordinates(): Map<string, [lat: number, lon: number]> {
  const coordinates = new Map<string, [number, number]>();
  if (!existsSync(BASILIC)) return coordinates;
  for (const line of readFileSync(BASILIC, "utf8").split("\n").slice(1)) {
    const [, , , , , lat, lon, code] = line.split("\t");
    if (code && lat && lon) coordinates.set(code.replace(/\.0$/, "").padStart(5, "0"), [Number(lat), Number(lon)]);
  }
  return coordinates;
}
