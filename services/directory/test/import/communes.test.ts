/** The official list of communes, and what imports fill from it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { communeByCode, communesByName, communesByPostalCode, presentCommune } from "../../src/domain/communes.ts";
import { departementOfPostalCode, resolveCommune } from "../../src/domain/import/resolve-commune.ts";
import { usualCapitals } from "../../src/domain/import/usual-capitals.ts";
import { departementByCode } from "../../src/domain/reference.ts";
import { importAll } from "./support.ts";

function communeOf(written: Partial<Parameters<typeof resolveCommune>[0]>) {
  const { commune, remarks } = resolveCommune({
    code: null,
    name: "",
    postalCode: null,
    departement: null,
    ...written,
  });
  return [commune?.code ?? null, commune?.nom ?? null, ...remarks.map(({ rule }) => rule)];
}

describe("the list of communes", () => {
  test("has present and former communes, arrondissements and overseas communes", () => {
    assert.equal(communeByCode("35288")?.nom, "Saint-Malo");
    assert.equal(communeByCode("97411")?.nom, "Saint-Denis");
    assert.equal(communeByCode("2A004")?.nom, "Ajaccio");
    const arrondissement = communeByCode("69383");
    assert.ok(arrondissement);
    assert.equal(presentCommune(arrondissement).nom, "Lyon");
    const [former] = communesByName("Arbignieu");
    assert.equal(presentCommune(former).nom, "Arboys en Bugey");
    assert.equal(communeByCode("69232")?.nom, "Lyon", "a code of earlier times");
    assert.equal(communeByCode("99999"), undefined);
  });

  test("finds a name in any spelling", () => {
    const spellings: readonly (readonly [string, string])[] = [
      ["ST MALO", "35288"],
      ["Havre (Le)", "76351"],
      ["ABYMES (LES)", "97101"],
      ["L HAY LES ROSES", "94038"],
      ["Chalon s/ Saône", "71076"],
      ["BOURG EN BRESSE CEDEX 9", "01053"],
      ["STE GENEVIEVE DES BOIS", "45278"],
    ];
    for (const [name, code] of spellings)
      assert.ok(
        communesByName(name).some((commune) => commune.code === code),
        name,
      );
  });

  test("knows the communes of a postal code, and its département across a border", () => {
    assert.deepEqual(
      communesByPostalCode("35400").map(({ nom }) => nom),
      ["Saint-Malo"],
    );
    assert.equal(departementOfPostalCode("48250")?.code, "48");
    assert.equal(departementOfPostalCode("20090")?.code, "2A");
    assert.equal(departementOfPostalCode("20179")?.code, "2A", "a number of Corse-du-Sud without a commune");
    assert.equal(departementOfPostalCode("20620")?.code, "2B");
    assert.equal(departementOfPostalCode("97490")?.code, "974");
    assert.equal(departementOfPostalCode("97822")?.code, "974", "of a large receiver");
  });
});

describe("a commune in a row", () => {
  test("gets its name from the INSEE code, and its code from the name", () => {
    assert.deepEqual(communeOf({ code: "35288" }), ["35288", "Saint-Malo", "commune_from_code"]);
    assert.deepEqual(communeOf({ name: "Saint-Malo" }), ["35288", "Saint-Malo", "commune_from_name"]);
    assert.deepEqual(communeOf({ name: "ST MALO" }), ["35288", "Saint-Malo", "commune_from_name", "commune_spelled"]);
  });

  test("is distinguished from namesakes by postal code or département, else has no code", () => {
    assert.equal(communeOf({ name: "Saint-Denis", postalCode: "97400" })[0], "97411");
    assert.equal(communeOf({ name: "Saint-Denis", departement: departementByCode("93") ?? null })[0], "93066");
    assert.deepEqual(communeOf({ name: "SAINT-DENIS" }), [null, "Saint-Denis", "commune_ambiguous", "commune_spelled"]);
  });

  test("is found without its article, in its département", () => {
    const departement = departementByCode("38") ?? null;
    assert.equal(communeOf({ name: "PONT-DE-CLAIX CEDEX", departement })[0], "38317");
    assert.equal(communeOf({ name: "PONT-DE-CLAIX" })[0], null);
  });

  test("is found behind a postal code and before CEDEX, which an unknown name loses too", () => {
    assert.equal(communeOf({ name: "85021 / LA ROCHE-SUR-YON CEDEX" })[0], "85191");
    assert.equal(communeOf({ name: "06901 / SOPHIA-ANTIPOLIS CEDEX" })[1], "Sophia-Antipolis");
  });

  test("is the present one of a former commune, and the city of an arrondissement", () => {
    assert.deepEqual(communeOf({ code: "75112", name: "Paris 12e" }), ["75056", "Paris", "commune_present"]);
    assert.equal(communeOf({ name: "PARIS 12EME" })[0], "75056");
    assert.equal(communeOf({ name: "Marseille 06" })[0], "13055");
    assert.deepEqual(communeOf({ name: "Arbignieu" }), [
      "01015",
      "Arboys en Bugey",
      "commune_from_name",
      "commune_present",
    ]);
  });

  test("comes from a postal code of a single commune, also for a hamlet or a misspelt name", () => {
    assert.deepEqual(communeOf({ postalCode: "35400" }), ["35288", "Saint-Malo", "commune_from_postal_code"]);
    assert.deepEqual(communeOf({ name: "Paramé", postalCode: "35400" })[0], "35288");
    assert.equal(communeOf({ name: "Saint-Médard-en-Jalle", postalCode: "33160" })[0], "33449");
    assert.equal(communeOf({ name: "Berck-sur-mer", postalCode: "62600" })[0], "62108");
    assert.equal(communeOf({ name: "Theix", postalCode: "56450" })[0], "56251");
    assert.deepEqual(communeOf({ postalCode: "01300" }), [null, null], "many communes");
  });

  test("that is not in the list keeps its name, in usual capitals", () => {
    assert.deepEqual(communeOf({ name: "GENÈVE" }), [null, "Genève", "commune_unknown", "commune_spelled"]);
    assert.equal(usualCapitals("VILLE D'AVRAY SUR L'EAU"), "Ville d'Avray sur l'Eau");
    assert.equal(usualCapitals("Le Mans"), "Le Mans");
    assert.equal(usualCapitals("Y"), "Y");
  });

  test("fills the département and the région of the item, and the report counts from what", async () => {
    const content = "id;nom;ville;cp\n1;A;PARIS;75012\n2;B;;97400\n3;C;;20167\n4;D;Saint-Denis;\n";
    const { accepted, report } = await importAll({
      path: "a.csv",
      content,
      mapping: { id: "id", title: "nom", commune: { from: "ville", by: "name" }, address: { code_postal: "cp" } },
    });
    assert.deepEqual(
      accepted.map(({ item: { item } }) => [item.commune?.code ?? null, item.departement?.code, item.region?.nom]),
      [
        ["75056", "75", "Île-de-France"],
        ["97411", "974", "La Réunion"],
        [null, "2A", "Corse"],
        [null, undefined, undefined],
      ],
    );
    const counts = Object.fromEntries(Object.entries(report.rules).map(([name, { count }]) => [name, count]));
    assert.deepEqual(counts, {
      commune_from_name: 1,
      commune_from_postal_code: 1,
      commune_spelled: 1,
      commune_ambiguous: 1,
      departement_from_commune: 2,
      departement_from_postal_code: 1,
      departement_missing: 1,
    });
  });

  test("in the Métropole de Lyon is in the Rhône", async () => {
    const { accepted } = await importAll({
      path: "a.csv",
      content: "id;nom;dep\n1;A;Métropole de Lyon\n2;B;69M\n",
      mapping: { id: "id", title: "nom", departement: { from: "dep", by: "name" } },
    });
    assert.deepEqual(
      accepted.map(({ item: { item } }) => item.departement?.code),
      ["69", "69"],
    );
  });
});
