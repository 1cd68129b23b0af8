/** Guesses the columns of commune, département, région, address and position. */
import { communesByName } from "../communes.ts";
import {
  DEPARTEMENTS,
  departementByCode,
  departementByName,
  foldName,
  regionByCode,
  regionByName,
  type Departement,
} from "../reference.ts";
import { readCoordinate, splitPair, type AxisOrder } from "./coordinates.ts";
import { FORMER_REGIONS } from "./former-regions.ts";
import { isText, mostly, type Column, type Columns } from "./guess-columns.ts";
import type { Mapping } from "./mapping.ts";
import { crsCandidates, crsIn, isProjected, type Crs } from "./projection.ts";
import { departementOfCode, postalCodeIn, restoreDepartementCode } from "./administrative-areas.ts";
import { departementOfPostalCode, townIn } from "./resolve-commune.ts";

export interface GuessedGeography {
  readonly mapping: Partial<Mapping>;
  readonly rue: Column | undefined;
  readonly commune: Column | undefined;
  /** Columns of commune, address and position, the most distinctive first. */
  readonly columns: readonly Column[];
}

export function guessGeography(columns: Columns): GuessedGeography {
  const code = columns.find("commune_code", mostly(isLikeCommuneCode));
  const named = columns.find(
    "commune_name",
    mostly((value) => isText(value) && value.length <= 60),
  );
  const departement = columns.find("departement", mostly(isDepartement));
  const region = columns.find("region", mostly(isRegion));
  const postal = columns.find(
    "code_postal",
    mostly((value) => /^\d{4,5}(?:\.0)?$/.test(value)),
  );
  const rue = columns.find("rue", mostly(isText));
  const location = guessLocation(columns, departement, departementsOf({ code, departement, postal }));
  const name = named ?? (code === undefined ? columns.best(communeScore) : undefined);
  const address = {
    ...(rue !== undefined && { rue: rue.name }),
    ...(postal !== undefined && { code_postal: postal.name }),
  };
  return {
    mapping: {
      ...(code === undefined
        ? name !== undefined && { commune: { from: name.name, by: "name" as const } }
        : { commune: { from: code.name, by: "code" as const, ...(name !== undefined && { nom: name.name }) } }),
      ...(departement !== undefined && { departement: { from: departement.name, by: codeOrName(departement) } }),
      ...(region !== undefined && { region: { from: region.name, by: codeOrName(region) } }),
      ...(Object.keys(address).length > 0 && { address }),
      ...(location !== null && { location: location.location }),
    },
    rue,
    commune: name,
    columns: [name, code, postal, rue, ...(location?.columns ?? [])].filter((column) => column !== undefined),
  };
}

/** Above 0 for a column of names of communes, whatever its own name. */
function communeScore({ values, words }: Column): number {
  if (/nom|name|titre|title|libelle/.test(words) || values.length === 0) return 0;
  const listed = values.filter((value) => isText(value) && communesByName(townIn(value)).length > 0).length;
  return listed >= values.length * 0.9 && listed >= 3 ? listed / values.length : 0;
}

interface GuessedLocation {
  readonly location: NonNullable<Mapping["location"]>;
  readonly columns: readonly Column[];
}

type DepartementOfRow = (row: number) => Departement | undefined;

/** Reads the département of a row from its other columns, if one of them determines it. */
function departementsOf(
  columns: Readonly<Record<"code" | "departement" | "postal", Column | undefined>>,
): DepartementOfRow {
  return (row) => {
    const named = columns.departement?.cells[row] ?? "";
    return (
      departementByCode(restoreDepartementCode(named)) ??
      departementByName(named) ??
      departementOfCode((columns.code?.cells[row] ?? "").padStart(5, "0")) ??
      departementOfPostalCode(postalCodeIn(columns.postal?.cells[row] ?? ""))
    );
  };
}

function guessLocation(
  columns: Columns,
  departement: Column | undefined,
  departementOf: DepartementOfRow,
): GuessedLocation | null {
  const pair = columns.find("location", mostly(isPair));
  if (pair !== undefined) return pairLocation(pair, departement, departementOf);
  const degrees = degreeAxes(columns);
  if (degrees !== null) return degrees;
  const free = columns.all.filter(
    (column) => !columns.isUsed(column) && column.values.length > 0 && AXIS.test(column.words),
  );
  for (const x of free)
    for (const y of free) {
      const points = x.cells.map((cell, row) => pointOf(cell, y.cells[row] ?? ""));
      const crs = x === y || isSouth(x) ? null : crsOfPoints(points, departementOf);
      if (crs === null) continue;
      columns.use(x);
      columns.use(y);
      return { location: { lat: y.name, lon: x.name, crs }, columns: [y, x] };
    }
  return null;
}

const AXIS = /(?:^|_)[xy](?:_|\d|$)|lambert|l93|easting|northing|coord|(?:^|_)(?:lat|lon|lng|long)/;
const isSouth = ({ words }: Column): boolean => /(?:^|_)y(?:_|\d|$)|northing|(?:^|_)lat/.test(words);

function pairLocation(pair: Column, departement: Column | undefined, departementOf: DepartementOfRow): GuessedLocation {
  const ordered = (order: AxisOrder) =>
    pair.cells.map((cell) => {
      const parts = splitPair(cell);
      if (parts === null) return null;
      return (parts.order ?? order) === "lon,lat"
        ? pointOf(parts.first, parts.second)
        : pointOf(parts.second, parts.first);
    });
  for (const order of ["lon,lat", "lat,lon"] as const) {
    const crs = crsOfPoints(ordered(order), departementOf);
    if (crs !== null) return { location: { from: pair.name, order, crs }, columns: [pair] };
  }
  return { location: { from: pair.name, order: axisOrderOf(pair, departement) }, columns: [pair] };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function pointOf(x: string, y: string): Point | null {
  const [east, north] = [readCoordinate(x), readCoordinate(y)];
  return east === null || north === null ? null : { x: east.value, y: north.value };
}

/** The system that puts most points into the département of their row; without any, one that puts 95 % into France. */
function crsOfPoints(points: readonly (Point | null)[], departementOf: DepartementOfRow): Crs | null {
  const votes = new Map<Crs, number>();
  const possible = new Map<Crs, number>();
  let checked = 0;
  let count = 0;
  for (const [row, point] of points.entries()) {
    if (point === null || !isProjected(point.x, point.y)) continue;
    count++;
    for (const crs of crsCandidates(point.x, point.y)) possible.set(crs, (possible.get(crs) ?? 0) + 1);
    const departement = departementOf(row);
    if (departement === undefined) continue;
    checked++;
    const crs = crsIn(departement, point.x, point.y);
    if (crs !== null) votes.set(crs, (votes.get(crs) ?? 0) + 1);
  }
  const [likely, most] = mostVoted(votes);
  if (checked > 0) return likely !== null && most >= checked * 0.6 ? likely : null;
  const all = [...possible].filter(([, found]) => found >= count * 0.95);
  return all[0]?.[0] ?? null;
}

function mostVoted(votes: ReadonlyMap<Crs, number>): readonly [Crs | null, number] {
  let best: readonly [Crs | null, number] = [null, 0];
  for (const entry of votes) if (entry[1] > best[1]) best = entry;
  return best;
}

function degreeAxes(columns: Columns): GuessedLocation | null {
  const within = (limit: number) =>
    mostly((value) => {
      const read = readCoordinate(value);
      return read !== null && Math.abs(read.value) <= limit;
    });
  const lat = columns.find("lat", within(90));
  const lon = lat === undefined ? undefined : columns.find("lon", within(180));
  return lat === undefined || lon === undefined
    ? null
    : { location: { lat: lat.name, lon: lon.name }, columns: [lat, lon] };
}

function isPair(value: string): boolean {
  const pair = splitPair(value);
  return pair !== null && readCoordinate(pair.first) !== null && readCoordinate(pair.second) !== null;
}

/** The order that puts more of the sample into a département's box; `lat,lon` by default. */
function axisOrderOf({ values }: Column, departement: Column | undefined): AxisOrder {
  const boxes = departement === undefined ? DEPARTEMENTS : boxesOf(departement);
  const inFrance = (lat: number, lon: number): boolean =>
    boxes.some(({ box: [west, south, east, north] }) => lon >= west && lon <= east && lat >= south && lat <= north);
  let score = 0;
  for (const value of values) {
    const pair = splitPair(value);
    const [first, second] = [readCoordinate(pair?.first ?? "")?.value, readCoordinate(pair?.second ?? "")?.value];
    if (first === undefined || second === undefined) continue;
    score += Number(inFrance(first, second)) - Number(inFrance(second, first));
  }
  return score >= 0 ? "lat,lon" : "lon,lat";
}

function boxesOf({ values }: Column): readonly Departement[] {
  const named = [...new Set(values)].flatMap((value) => departementByCode(value) ?? []);
  return named.length > 0 ? named : DEPARTEMENTS;
}

function codeOrName({ values }: Column): "code" | "name" {
  return values.every((value) => /^(?:\d{1,3}(?:\.0)?|2[ab])$/i.test(value)) ? "code" : "name";
}

function isLikeCommuneCode(value: string): boolean {
  return /^(?:\d{4,5}|2[ab]\d{3})(?:\.0)?$/i.test(value);
}

function isDepartement(value: string): boolean {
  const code = restoreDepartementCode(value);
  return (
    departementByCode(code) !== undefined ||
    departementByName(value) !== undefined ||
    /^(?:97[578]|98[678])$/.test(code)
  );
}

function isRegion(value: string): boolean {
  const code = value.replace(/\.0$/, "").padStart(2, "0");
  return regionByCode(code) !== undefined || regionByName(value) !== undefined || FORMER_REGIONS.has(foldName(value));
}
