/** Files with the headers of French open data portals, imported without a mapping. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ImportRefused } from "../../src/domain/import/import-run.ts";
import { importAll, type Imported } from "./support.ts";

const guessed = (path: string, content: string): Promise<Imported> => importAll({ path, content, mapping: null });
const titles = ({ accepted }: Imported): string[] => accepted.map(({ item }) => item.item.title);
const communes = ({ accepted }: Imported): (string | null)[] =>
  accepted.map(({ item }) => item.item.commune?.code ?? null);

describe("a guessed mapping", () => {
  test("reads a list of festivals (nom_du_festival, geocodage_xy)", async () => {
    const imported = await guessed(
      "festivals.csv",
      [
        "id_festival;nom_du_festival;departement_principal_de_deroulement;commune_principale_de_deroulement;code_postal_de_la_commune_principale_de_deroulement;code_insee_commune;code_insee_epci;libelle_epci;adresse_postale;site_internet_du_festival;adresse_e_mail;discipline_dominante;identifiant;geocodage_xy",
        "1;Juin en ville;Bouches-du-Rhône;Aix-en-Provence;13100;13001;200054807;Métropole;Palais;juin.example.org;a@example.org;Musique;FEST_1;43.5360708378, 5.39857444582",
        "2;Images;Ille-et-Vilaine;SAINT-MALO;35400;35288;243500782;Agglo;1 rue des Sables;;b@example.org;Cinéma, vidéo;FEST_2;48.649, -2.0257",
      ].join("\n"),
    );
    assert.deepEqual(titles(imported), ["Juin en ville", "Images"]);
    assert.deepEqual(communes(imported), ["13001", "35288"]);
    assert.equal(imported.mapping.id, "identifiant");
    assert.deepEqual(imported.mapping.location, { from: "geocodage_xy", order: "lat,lon" });
    assert.equal(imported.accepted[1].item.item.commune?.nom, "Saint-Malo");
    assert.ok(!JSON.stringify(imported.accepted).includes("@example.org"), "no address of a person");
  });

  test("reads postal code and town in one column, and leaves out the names of persons", async () => {
    const imported = await guessed(
      "contacts.csv",
      [
        "Département de l'autorité;Nom de l'administration;Prénom PRADA;Nom PRADA;Code postal/Ville de l'autorité",
        "85;La Roche-sur-Yon Agglomération;Ada;EXEMPLE;85021 / LA ROCHE-SUR-YON CEDEX",
        "20;Mairie d'Ajaccio;Ada;EXEMPLE;20304 / AJACCIO CEDEX 1",
        "74;Mairie d'Annecy;Ada;EXEMPLE;74011 / ANNECY CEDEX",
      ].join("\n"),
    );
    assert.deepEqual(communes(imported), ["85191", "2A004", "74010"]);
    assert.deepEqual(
      imported.accepted.map(({ item }) => item.item.departement?.code),
      ["85", "2A", "74"],
    );
    assert.ok(!JSON.stringify(imported.accepted).includes("EXEMPLE"));
  });

  test("takes the title of an exhibition before the name of its museum, which becomes the summary", async () => {
    const imported = await guessed(
      "expositions.csv",
      [
        "annee;id_museofile;commune;nom_du_musee;titre_de_l_exposition",
        "2024;M1;Montpellier;musée des images;Face à face",
        "2024;M2;Rennes;musée des jouets;",
      ].join("\n"),
    );
    assert.deepEqual(titles(imported), ["Face à face", "musée des jouets"]);
    assert.deepEqual(
      imported.accepted.map(({ item }) => item.item.summary),
      ["musée des images", "Rennes (Ille-et-Vilaine)"],
    );
  });

  test("reads a list of libraries (Code_bib, Nom de l'établissement)", async () => {
    const imported = await guessed(
      "bibliotheques.csv",
      [
        "CP;Code_bib;Surface;Nom de l'établissement;Libellé 2;Adresse;Code région;Région;Code département;Département;Ville;Code insee commune;Longitude;Latitude;Type adresse ;geolocalisation",
        "01250;11.0;227.0;Médiathèque Municipale;L'Île;2 Rue Lalande;84.0;Auvergne-Rhône-Alpes;01;Ain;Ceyzériat;01072;5.322996;46.178735;Bâtiment;46.178735, 5.322996",
        "01310;29.0;227.0;Bibliothèque;;41 Route;84.0;Auvergne-Rhône-Alpes;01;Ain;Polliat;01301;5.125865;46.248271;Bâtiment;46.248271, 5.125865",
      ].join("\n"),
    );
    assert.deepEqual(titles(imported), ["Médiathèque Municipale", "Bibliothèque"]);
    assert.equal(imported.mapping.id, "Code_bib");
    assert.deepEqual(communes(imported), ["01072", "01301"]);
  });

  test("reads a list of stations whose code is on two lines; the last wins and is reported", async () => {
    const rows = [
      "87182055;Mulhouse-Dornach;115000;MULHOUSE;HAUT-RHIN;5712",
      "87271148;Épinay;962000;EPINAY-SUR-SEINE;SEINE-SAINT-DENIS;72463",
    ];
    const more = Array.from({ length: 8 }, (_, index) => `8700000${index};Halte ${index};962000;PARIS;PARIS;${index}0`);
    const imported = await guessed(
      "gares.csv",
      ["code_uic;libelle;code_ligne;commune;departemen;pk", ...rows, ...more, rows[0].replace("5712", "9")].join("\n"),
    );
    assert.equal(imported.mapping.id, "code_uic");
    assert.equal(imported.report.rules["id_repeated"].count, 1);
    assert.deepEqual(communes(imported).slice(0, 3), ["68224", "93031", "75056"]);
  });

  test("makes an ID from content where no column has one, and says so", async () => {
    const feature = (nom: string, adresse: string): object => ({
      type: "Feature",
      geometry: { type: "Point", coordinates: [1.4, 43.56] },
      properties: {
        index: nom,
        nom_complet: `PISCINE ${nom}`,
        adresse,
        geo_point_2d: [43.56, 1.4],
        telephone: "05 61 00 00 00",
      },
    });
    const features = [
      feature("Un", "63 allée de Bellefontaine 31100 TOULOUSE"),
      feature("Un Deux", "7 allée 31300 TOULOUSE"),
    ];
    const imported = await guessed("piscines.geojson", JSON.stringify({ type: "FeatureCollection", features }));
    assert.deepEqual(imported.mapping.id, ["nom_complet"]);
    assert.equal(imported.report.rules["id_from_content"].examples[0].value, "nom_complet");
    assert.equal(imported.report.rules["columns_left_out"].examples[0].value, "1: telephone");
    assert.deepEqual(communes(imported), ["31555", "31555"]);
    assert.deepEqual(imported.accepted[0].item.item.address, {
      rue: "63 allée de Bellefontaine",
      code_postal: "31100",
    });
  });

  test("distinguishes rows of the same title by further columns, and merges equal rows", async () => {
    const rows = ["Musée A;Brest;2014;5", "Musée A;Brest;2015;5", "Musée B;Brest;2014;7", "Musée B;Brest;2014;7"];
    const imported = await guessed("frequentation.csv", ["nom_du_musee;ville;annee;total", ...rows].join("\n"));
    assert.deepEqual(imported.mapping.id, ["nom_du_musee", "annee"]);
    assert.equal(imported.report.totals.replaced, 1);
  });

  test("distinguishes features of the same name by their position", async () => {
    const feature = (lon: number): object => ({
      type: "Feature",
      geometry: { type: "Point", coordinates: [lon, -21] },
      properties: { nom: "École primaire" },
    });
    const content = JSON.stringify({ type: "FeatureCollection", features: [feature(55.5), feature(55.6)] });
    const { accepted, mapping, report } = await guessed("ecoles.geojson", content);
    assert.deepEqual(mapping.id, ["nom", "@point"]);
    assert.equal(mapping.location, undefined);
    assert.deepEqual(accepted[0].item.item.extra, {});
    assert.equal(accepted.length, 2);
    assert.equal(report.rules["columns_left_out"], undefined);
  });

  test("titles things without a name by kind and address", async () => {
    const imported = await guessed(
      "sanisettes.csv",
      'TYPE;STATUT;ADRESSE;ARRONDISSEMENT;geo_shape;geo_point_2d\nSANISETTE;Ouvert;97 RUE DU CHEVALERET;13;"{""type"": ""Point"", ""coordinates"": [2.3752, 48.8303]}";48.8303, 2.3752\nSANISETTE;Ouvert;26 PLACE PERNET;15;;48.8425, 2.2921\n',
    );
    assert.deepEqual(titles(imported), ["SANISETTE 97 RUE DU CHEVALERET", "SANISETTE 26 PLACE PERNET"]);
    const numbered = await guessed("parkings.csv", "id;layer\n1;Parking\n2;Parking\n");
    assert.deepEqual(titles(numbered), ["Parking 1", "Parking 2"]);
  });

  test("prefers columns of the thing to those of places and persons around it", async () => {
    const { mapping } = await guessed(
      "lycees.csv",
      [
        "numero_uai,appellation_officielle,nom_commune,nom_du_responsable,nom_gestionnaire,adresse_uai,code_postal_uai,nature_uai_libe,site_web,code_commune",
        "0750001A,Lycée Un,Paris,Jean Petit,Ville,1 rue Un,75011,Lycée,https://un.example.org,75111",
        "0750002B,Lycée Deux,Paris,Jeanne Petit,Ville,2 rue Deux,75012,Lycée,https://deux.example.org,75112",
      ].join("\n"),
    );
    assert.deepEqual(
      [mapping.id, mapping.title, mapping.website],
      ["numero_uai", "appellation_officielle", "site_web"],
    );
    assert.deepEqual(mapping.commune, { from: "code_commune", by: "code", nom: "nom_commune" });
    assert.ok(!JSON.stringify(mapping).includes("responsable"));
  });

  test("reads responses of Opendatasoft, and other records with a path", async () => {
    const records = ["Polar", "Théâtre"].map((titre, index) => ({
      recordid: `r${index}`,
      fields: { titre, commune: "Villeneuve-lès-Avignon", code_insee: "30351", geo_point_2d: [43.97, 4.79] },
    }));
    const first = JSON.stringify({ nhits: 2, parameters: { rows: 2, facets: ["a"] }, records });
    const second = JSON.stringify({ total_count: 2, results: records.map(({ fields }) => fields) });
    for (const content of [first, second]) {
      const imported = await guessed("agenda.json", content);
      assert.deepEqual(titles(imported), ["Polar", "Théâtre"]);
      assert.deepEqual(communes(imported), ["30351", "30351"]);
      assert.equal(imported.report.files[0].format, "json");
    }
    const other = JSON.stringify({ help: { facets: ["a"] }, result: { records } });
    for (const [jsonPath, title] of [
      ["result.records.fields", "titre"],
      ["result.records", "fields.titre"],
    ]) {
      const imported = await importAll({ path: "agenda.json", content: other, mapping: null, jsonPath });
      assert.deepEqual(titles(imported), ["Polar", "Théâtre"]);
      assert.equal(imported.mapping.title, title);
    }
    await assert.rejects(
      guessed("a.geojson", other),
      /no array "features"; it has: help\.facets, result\.records \(choose/,
    );
  });

  test("of a refused file has what was recognized", async () => {
    await assert.rejects(guessed("a.csv", "lat;lon;cp\n48.1;-1.6;35000\n48.1;-1.6;35000\n"), (error) => {
      assert.ok(error instanceof ImportRefused);
      assert.deepEqual(error.partial?.location, { lat: "lat", lon: "lon" });
      assert.match(error.message, /no column for title/);
      return true;
    });
  });
});
