/** Street and postal code of a row. An address in one cell (`5 rue de la Paix, 75002 Paris`) is taken apart. */
import type { ItemFields } from "../catalogue.ts";
import type { Departement } from "../reference.ts";
import { postalCodeIn, readPostalCode } from "./administrative-areas.ts";
import type { Mapping } from "./mapping.ts";
import { textReader, type CellReader } from "./read-cells.ts";
import type { Notes } from "./rules.ts";
import type { Row } from "./table.ts";
import { cleanLine } from "./text.ts";

const LINE_LENGTH_MAX = 1000;
const WITH_TOWN = /^(.*?)[\s,;-]*\b(\d{5})\s+(\p{L}[^,;\d]*?)(?:\s+-\s.*|[,;].*|\s+cedex\b.*)?$/iu;

export interface WrittenAddress {
  /** Five digits, or null. */
  readonly postalCode: string | null;
  /** Set only for an address in one cell, else empty. */
  readonly town: string;
  /** The address to store; the département confirms a lost leading zero. */
  in(departement: Departement | null): ItemFields["address"];
}

const NO_ADDRESS: WrittenAddress = { postalCode: null, town: "", in: () => null };

export function addressReader({ address }: Mapping, cells: CellReader): (row: Row, notes: Notes) => WrittenAddress {
  if (address === undefined) return () => NO_ADDRESS;
  const rueReader = address.rue === undefined ? null : textReader(address.rue, cells);
  const postalReader = address.code_postal === undefined ? null : textReader(address.code_postal, cells);
  return (row, notes) => {
    const line =
      rueReader === null
        ? ""
        : cleanLine(rueReader.read(row, ""), { column: rueReader.column, notes }, ", ").slice(0, LINE_LENGTH_MAX);
    const raw = postalReader?.read(row, "").trim() ?? "";
    const parts = raw === "" ? WITH_TOWN.exec(line) : null;
    const [, rue = line, postal = raw, town = ""] = parts ?? [];
    return {
      postalCode: postalCodeIn(postal),
      town,
      in(departement) {
        const cell = { column: postalReader?.column ?? rueReader?.column ?? "", notes };
        const code = readPostalCode(postal, departement, cell);
        return rue === "" && code === null ? null : { rue: rue || null, code_postal: code };
      },
    };
  };
}

/** The column that a mapping takes the département from, if it holds postal codes. */
export function departementPostalCodeReader({ departement }: Mapping, cells: CellReader): (row: Row) => string | null {
  if (departement?.by !== "postal_code") return () => null;
  const read = cells(departement.from);
  return (row) => postalCodeIn(read(row));
}
