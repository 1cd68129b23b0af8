import type { ItemFields } from "../catalogue.ts";
import { departementByCode, departementByName, type Departement, islandAt } from "../reference.ts";
import {
  departementOfCode,
  departementOfPostalCode,
  readCommuneCode,
  readDepartement,
  readPostalCode,
  readRegion,
} from "./administrative-areas.ts";
import { judgeLocation, readLocation, writtenPair, type Location, type WrittenLocation } from "./geocode.ts";
import type { Mapping } from "./mapping.ts";
import type { Boundaries } from "./boundaries.ts";
import { textReader, type CellReader } from "./read-cells.ts";
import type { Notes } from "./rules.ts";
import type { Row } from "./table.ts";
import { cleanLine, type Cell } from "./text.ts";

/** Limit of one-line fields without a limit in the contract; longer values are mapping errors. */
const LONGEST_LINE = 1000;

type Read<Result> = (row: Row, notes: Notes) => Result;

export interface Geography {
  readonly commune: ItemFields["commune"];
  readonly departement: ItemFields["departement"];
  readonly region: ItemFields["region"];
  readonly location: Location | null;
  readonly address: ItemFields["address"];
}

export interface GeographyContext {
  readonly dropBadLocation: boolean;
  readonly outlines: Boundaries | null;
}

/** Commune -> département -> location (checked against it) -> département by outline -> région. */
export function geographyReader(mapping: Mapping, context: GeographyContext, cells: CellReader): Read<Geography> {
  const communeOf = communeReader(mapping, cells);
  const mappedDepartement = departementReader(mapping, cells);
  const writtenLocation = locationReader(mapping, cells);
  const region = mapping.region === undefined ? null : { ...mapping.region, read: cells(mapping.region.from) };
  const addressOf = addressReader(mapping, cells);

  const located = (row: Row, notes: Notes, departement: Departement | null): Location | null => {
    const written = writtenLocation(row, notes);
    if (written === null) return null;
    const location = readLocation(written, context.dropBadLocation);
    const judged =
      typeof location === "string" ? location : judgeLocation(location, departement, written, context.dropBadLocation);
    return typeof judged === "string" ? null : judged;
  };
  return (row, notes) => {
    const commune = communeOf(row, notes);
    const mapped = mappedDepartement(row, notes);
    const ofCommune = departementOfCode(commune?.code ?? null);
    if (mapped !== null && ofCommune !== null && mapped !== ofCommune) {
      const value = `${mapped.code} and commune ${commune?.code ?? ""}`;
      notes.note("departement_contradicts_commune", {
        column: mapping.departement?.from ?? null,
        value,
        result: mapped.code,
      });
    }
    const named = mapped ?? ofCommune;
    const location = located(row, notes, named);
    const departement = named ?? departementAround(location, context.outlines);
    if (departement === null) notes.note("departement_missing", { value: commune?.code ?? commune?.nom ?? null });
    const regionCell = { column: region?.from ?? "", notes };
    return {
      commune,
      departement: departement === null ? null : areaOf(departement),
      region: areaOf(readRegion(region?.read(row) ?? "", region?.by ?? "code", departement, regionCell)),
      location,
      address: addressOf(row, notes, departement),
    };
  };
}

function areaOf(area: { code: string; slug: string; nom: string } | null): ItemFields["region"] {
  return area === null ? null : { code: area.code, slug: area.slug, nom: area.nom };
}

function departementAround(location: Location | null, outlines: Boundaries | null): Departement | null {
  if (location === null) return null;
  const code = outlines?.departementAt(location.lat, location.lon) ?? "";
  return departementByCode(code) ?? islandAt(location) ?? null;
}

function communeReader({ commune }: Mapping, cells: CellReader): Read<ItemFields["commune"]> {
  if (commune === undefined) return () => null;
  const read = cells(commune.from);
  if (commune.by === "name") {
    return (row, notes) => {
      const nom = cleanLine(read(row), { column: commune.from, notes }).slice(0, LONGEST_LINE);
      return nom === "" ? null : { code: null, nom };
    };
  }
  const readName = commune.nom === undefined ? () => "" : cells(commune.nom);
  const names = new Map(Object.entries(commune.names ?? {}));
  return (row, notes) => {
    const code = readCommuneCode(read(row), { column: commune.from, notes });
    const nom =
      cleanLine(readName(row), { column: commune.nom ?? commune.from, notes }).slice(0, LONGEST_LINE) ||
      names.get(code ?? "") ||
      null;
    return code === null && nom === null ? null : { code, nom };
  };
}

function departementReader(mapping: Mapping, cells: CellReader): Read<Departement | null> {
  const constant = mapping.const?.departement ?? "";
  const usual = departementByCode(constant) ?? departementByName(constant) ?? null;
  const { departement } = mapping;
  if (departement === undefined) return () => usual;
  const read = cells(departement.from);
  const { by } = departement;
  return (row, notes) => {
    const raw = read(row);
    if (raw.trim() === "") return usual;
    const cell: Cell = { column: departement.from, notes };
    return by === "postal_code" ? departementOfPostalCode(raw, cell) : readDepartement(raw, by, cell);
  };
}

/** Defaults to the point of a GeoJSON feature. */
function locationReader({ location }: Mapping, cells: CellReader): Read<WrittenLocation | null> {
  if (location === undefined) {
    return ({ geometry }, notes) => {
      if (geometry === undefined || geometry === null) return null;
      if (geometry.point !== null) return { lat: geometry.point[1], lon: geometry.point[0], column: "geometry", notes };
      notes.note("geometry_not_point", { column: "geometry", value: geometry.kind });
      return null;
    };
  }
  if ("lat" in location) {
    const [readLat, readLon] = [cells(location.lat), cells(location.lon)];
    const column = `${location.lat}, ${location.lon}`;
    return (row, notes) => ({ lat: readLat(row), lon: readLon(row), column, notes });
  }
  const read = cells(location.from);
  return (row, notes) => {
    const raw = read(row);
    return raw.trim() === "" ? null : writtenPair(raw, location.order, { column: location.from, notes });
  };
}

function addressReader(
  { address }: Mapping,
  cells: CellReader,
): (row: Row, notes: Notes, departement: Departement | null) => ItemFields["address"] {
  const rueReader = address?.rue === undefined ? null : textReader(address.rue, cells);
  const postalReader = address?.code_postal === undefined ? null : textReader(address.code_postal, cells);
  return (row, notes, departement) => {
    const rue =
      rueReader === null
        ? ""
        : cleanLine(rueReader.read(row, ""), { column: rueReader.column, notes }, ", ").slice(0, LONGEST_LINE);
    const postal =
      postalReader === null
        ? null
        : readPostalCode(postalReader.read(row, ""), departement, { column: postalReader.column, notes });
    return rue === "" && postal === null ? null : { rue: rue || null, code_postal: postal };
  };
}
