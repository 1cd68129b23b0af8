import type { ItemFields } from "../catalogue.ts";
import { departementByCode, departementByName, type Departement, islandAt } from "../reference.ts";
import {
  departementOfCode,
  postalCodeIn,
  readCommuneCode,
  readDepartement,
  readRegion,
} from "./administrative-areas.ts";
import { addressReader, departementPostalCodeReader } from "./read-address.ts";
import { judgeLocation, readLocation, writtenPair, type Location, type WrittenLocation } from "./geocode.ts";
import type { Mapping } from "./mapping.ts";
import type { Boundaries } from "./boundaries.ts";
import { departementOfPostalCode, postalCodeBefore, resolveCommune, type WrittenCommune } from "./resolve-commune.ts";
import type { Crs } from "./projection.ts";
import type { CellReader } from "./read-cells.ts";
import type { Notes } from "./rules.ts";
import type { Row } from "./table.ts";
import { cleanLine } from "./text.ts";

/** Limit of one-line fields without a limit in the contract; longer values are mapping errors. */
const LINE_LENGTH_MAX = 1000;

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
  /** The coordinate reference system that the file declares. */
  readonly crs?: Crs | null;
}

/**
 * Commune (with the mapped département and the postal code) -> département -> location (checked against it) ->
 * département by outline, which may distinguish namesakes of the commune -> région.
 */
export function geographyReader(mapping: Mapping, context: GeographyContext, cells: CellReader): Read<Geography> {
  const writtenCommune = communeReader(mapping, cells);
  const mappedDepartement = departementReader(mapping, cells);
  const locationOf = checkedLocationReader(mapping, context, cells);
  const region = mapping.region === undefined ? null : { ...mapping.region, read: cells(mapping.region.from) };
  const addressOf = addressReader(mapping, cells);
  const postalCodeOf = departementPostalCodeReader(mapping, cells);
  const column = mapping.commune?.from ?? "code_postal";

  return (row, notes) => {
    const mapped = mappedDepartement(row, notes);
    const address = addressOf(row, notes);
    const communeCells = writtenCommune(row, notes);
    const postalCode =
      address.postalCode ?? postalCodeOf(row) ?? postalCodeIn(postalCodeBefore(communeCells.name) ?? "");
    const name = communeCells.name || (communeCells.code === null ? address.town : "");
    const written: WrittenCommune = { code: communeCells.code, name, postalCode, departement: mapped };
    const first = resolveCommune(written);
    const named =
      mapped ?? departementOfCode(first.commune?.code ?? null) ?? departementOfPostalCode(postalCode) ?? null;
    const location = locationOf(row, notes, named);
    const departement = named ?? departementAround(location, context.outlines);
    const isUnsure = first.commune?.code === null && named === null && departement !== null;
    const { commune, remarks } = isUnsure ? resolveCommune({ ...written, departement }) : first;
    for (const remark of remarks) notes.note(remark.rule, { ...remark, column });
    noteDepartement(notes, { mapping, mapped, commune, postalCode, departement });
    const regionCell = { column: region?.from ?? "", notes };
    return {
      commune: commune === null ? null : { ...commune },
      departement: departement === null ? null : areaOf(departement),
      region: areaOf(readRegion(region?.read(row) ?? "", region?.by ?? "code", departement, regionCell)),
      location,
      address: address.in(departement),
    };
  };
}

interface DepartementOrigin extends Pick<Geography, "commune"> {
  readonly mapping: Mapping;
  readonly mapped: Departement | null;
  readonly postalCode: string | null;
  readonly departement: Departement | null;
}

/** Reports where the département comes from, unless it is mapped. */
function noteDepartement(notes: Notes, { mapping, mapped, commune, postalCode, departement }: DepartementOrigin): void {
  const column = mapping.departement?.from ?? null;
  const ofCommune = departementOfCode(commune?.code ?? null);
  if (departement === null) {
    notes.note("departement_missing", { value: commune?.code ?? commune?.nom ?? null });
  } else if (mapped !== null) {
    if (ofCommune === null || mapped === ofCommune) return;
    const value = `${mapped.code} and commune ${commune?.code ?? ""}`;
    notes.note("departement_contradicts_commune", { column, value, result: mapped.code });
  } else if (ofCommune === departement) {
    notes.note("departement_from_commune", { value: commune?.code ?? null, result: departement.nom });
  } else {
    const isByPostalCode = departementOfPostalCode(postalCode) === departement;
    const rule = isByPostalCode ? "departement_from_postal_code" : "departement_from_location";
    notes.note(rule, { value: isByPostalCode ? postalCode : null, result: departement.nom });
  }
}

function checkedLocationReader(
  mapping: Mapping,
  { dropBadLocation, crs = null }: GeographyContext,
  cells: CellReader,
): (row: Row, notes: Notes, departement: Departement | null) => Location | null {
  const writtenLocation = locationReader(mapping, crs, cells);
  return (row, notes, departement) => {
    const written = writtenLocation(row, notes, departement);
    if (written === null) return null;
    const location = readLocation(written, dropBadLocation);
    const judged = typeof location === "string" ? location : judgeLocation(location, written, dropBadLocation);
    return typeof judged === "string" ? null : judged;
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

function communeReader({ commune }: Mapping, cells: CellReader): Read<Pick<WrittenCommune, "code" | "name">> {
  if (commune === undefined) return () => ({ code: null, name: "" });
  const read = cells(commune.from);
  if (commune.by === "name") {
    return (row, notes) => {
      const name = cleanLine(read(row), { column: commune.from, notes }).slice(0, LINE_LENGTH_MAX);
      return { code: null, name };
    };
  }
  const readName = commune.nom === undefined ? () => "" : cells(commune.nom);
  const names = new Map(Object.entries(commune.names ?? {}));
  return (row, notes) => {
    const code = readCommuneCode(read(row), { column: commune.from, notes });
    const name =
      cleanLine(readName(row), { column: commune.nom ?? commune.from, notes }).slice(0, LINE_LENGTH_MAX) ||
      names.get(code ?? "") ||
      "";
    return { code, name };
  };
}

function departementReader(mapping: Mapping, cells: CellReader): Read<Departement | null> {
  const constant = mapping.const?.departement ?? "";
  const usual = departementByCode(constant) ?? departementByName(constant) ?? null;
  const { departement } = mapping;
  if (departement === undefined) return () => usual;
  const read = cells(departement.from);
  const { by } = departement;
  // The postal code determines the commune, which determines the département more reliably.
  if (by === "postal_code") return (row) => (read(row).trim() === "" ? usual : null);
  return (row, notes) => {
    const raw = read(row);
    if (raw.trim() === "") return usual;
    return readDepartement(raw, by, { column: departement.from, notes });
  };
}

type WrittenLocationReader = (row: Row, notes: Notes, departement: Departement | null) => WrittenLocation | null;

/** Defaults to the point of a GeoJSON feature. */
function locationReader({ location }: Mapping, declared: Crs | null, cells: CellReader): WrittenLocationReader {
  const crs = location?.crs ?? declared ?? undefined;
  if (location === undefined || !("lat" in location || "from" in location)) {
    return ({ geometry }, notes, departement) => {
      if (geometry === undefined || geometry === null) return null;
      if (geometry.point !== null)
        return { lat: geometry.point[1], lon: geometry.point[0], crs, departement, column: "geometry", notes };
      notes.note("geometry_not_point", { column: "geometry", value: geometry.kind });
      return null;
    };
  }
  if ("lat" in location) {
    const [readLat, readLon] = [cells(location.lat), cells(location.lon)];
    const column = `${location.lat}, ${location.lon}`;
    return (row, notes, departement) => ({ lat: readLat(row), lon: readLon(row), crs, departement, column, notes });
  }
  const read = cells(location.from);
  return (row, notes, departement) => {
    const raw = read(row);
    return raw.trim() === ""
      ? null
      : writtenPair(raw, location.order, { column: location.from, notes, crs, departement });
  };
}
