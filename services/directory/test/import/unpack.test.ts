/** Packed files: gzip, ZIP and spreadsheets, whole, damaged and expanding. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import { importAll } from "./support.ts";

const MAPPING = { id: "id", title: "nom" };
const CSV = "id;nom\n1;Musée A\n2;Musée B\n";

/** A ZIP archive with deflated members (APPNOTE 4.3). */
function zipOf(members: Readonly<Record<string, string>>): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(members)) {
    const content = Buffer.from(text);
    const packed = deflateRawSync(content);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x800, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(content), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(content.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const entry = Buffer.concat([Buffer.from("PK\u0003\u0004", "latin1"), fields, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\u0000", "latin1"), fields, rest, Buffer.from(name)]));
    local.push(entry);
    offset += entry.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(central.length, 4);
  end.writeUInt16LE(central.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...local, directory, Buffer.from("PK\u0005\u0006", "latin1"), end]);
}

function sheetOf(rows: readonly string[]): Buffer {
  const types = "http://schemas.openxmlformats.org";
  const relations = `${types}/officeDocument/2006/relationships`;
  return zipOf({
    "xl/workbook.xml": `<workbook xmlns="${types}/spreadsheetml/2006/main" xmlns:r="${relations}"><sheets><sheet name="Feuil1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships xmlns="${types}/package/2006/relationships"><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    "xl/worksheets/sheet1.xml": `<worksheet xmlns="${types}/spreadsheetml/2006/main"><sheetData>${rows.join("")}</sheetData></worksheet>`,
  });
}

const row = (number: number, ...cells: readonly string[]): string =>
  `<row r="${number}">${cells
    .map((text, index) => {
      const at = `r="${"ABCDEF".charAt(index)}${number}"`;
      return /^\d+(?:\.\d+)?$/.test(text)
        ? `<c ${at}><v>${text}</v></c>`
        : `<c ${at} t="inlineStr"><is><t>${text}</t></is></c>`;
    })
    .join("")}</row>`;

describe("packed files", () => {
  test("of one table are read like the table: gzip, ZIP, ZIP in gzip", async () => {
    const zip = zipOf({ "__MACOSX/._a.csv": "x", "LISEZMOI.md": "lisez", "donnees/a.csv": CSV });
    for (const content of [gzipSync(CSV), zip, gzipSync(zip)]) {
      const { report } = await importAll({ path: "a.bin", content, mapping: MAPPING, chunkSize: 100 });
      assert.deepEqual([report.totals.accepted, report.files[0].format, report.files[0].separator], [2, "csv", ";"]);
    }
  });

  test("with several tables or none are refused, with their names", async () => {
    const imported = (members: Record<string, string>) =>
      importAll({ path: "a.zip", content: zipOf(members), mapping: MAPPING });
    await assert.rejects(imported({ "a.csv": CSV, "b.json": "[]" }), /2 data files: a\.csv, b\.json; unpack the one/);
    await assert.rejects(imported({ "a.pdf": "x" }), /holds no CSV, TSV, JSON or GeoJSON file/);
  });

  test("that are cut or expand too much are refused", async () => {
    const imported = (content: Buffer) => importAll({ path: "a.zip", content, mapping: MAPPING });
    await assert.rejects(imported(zipOf({ "a.csv": CSV }).subarray(0, 80)), /truncated or damaged/);
    const bomb = `id;nom\n${`1;${"a".repeat(1_000_000)}\n`.repeat(80)}`;
    await assert.rejects(imported(zipOf({ "a.csv": bomb })), /expands more than 200 times/);
    await assert.rejects(imported(gzipSync(bomb)), /expands more than 200 times/);
  });

  test("of a spreadsheet have the rows of its first table, under titles, with the numbers of the sheet", async () => {
    const content = sheetOf([
      row(1, "Musées de la ville"),
      row(3, "id", "nom", "surface", "adresse"),
      row(4, "1", "Musée A", "12.5", "1 rue\nA"),
      row(6, "2", "Musée &quot;B&quot;, annexe", "7"),
      row(7, "3", ""),
    ]);
    const { accepted, report } = await importAll({
      path: "a.xlsx",
      content,
      mapping: { ...MAPPING, description: "adresse", extra: ["surface"] },
    });
    assert.deepEqual(
      accepted.map(({ line, item: { item } }) => [line, item.title, item.extra["surface"]]),
      [
        [4, "Musée A", "12.5"],
        [6, 'Musée "B", annexe', "7"],
      ],
    );
    assert.equal(accepted[0].item.item.description, "1 rue\nA");
    assert.equal(report.rules["title_missing"].examples[0].line, 7);
    assert.deepEqual([report.files[0].format, report.files[0].separator], ["xlsx", null]);
    await assert.rejects(
      importAll({ path: "a.xlsx", content: sheetOf([]), mapping: MAPPING }),
      /no table with a header/,
    );
  });
});
