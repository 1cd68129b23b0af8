/** French and English column names per field, folded as by `foldName`; the first match in a file wins. */
export const COLUMN_HINTS = {
  id: "id identifiant uid uuid ref reference code idlieu iditem numero osmid idexterne coderne codeuai museofile siret",
  title:
    "title titre nomusage nomofficiel nom name label libelle denomination raisonsociale nomlieu nomstructure appellation intitule",
  summary: "summary resume accroche chapo extrait abstract descriptioncourte",
  description: "description descriptif presentation texte contenu content body details histoire",
  website: "website siteweb siteinternet site url web lien link homepage adresseweb",
  opening_hours: "openinghours horaires horairesouverture horairesdouverture heuresouverture",
  access: "access acces accessibilite commentyaller",
  licence: "licence license",
  created_at: "createdat datecreation datedecreation creation datedesaisie",
  updated_at: "updatedat datemaj datemiseajour datedemiseajour miseajour lastupdate datemodification modified",
  siret: "siret numerosiret siretetablissement",
  legal_form: "legalform formejuridique statutjuridique naturejuridique",
  founded: "founded fondation datefondation anneecreation anneedecreation",
  author: "author auteur",
  published_at: "publishedat datepublication datedepublication publication",
  rue: "rue adresse adlieu voie street adressepostale address adresse1 numerovoie libellevoie",
  code_postal: "codepostal cp postalcode zip zipcode postcode",
  lat: "lat latitude ylat ylatitude coordonneeslat y",
  lon: "lon long lng longitude xlong xlongitude coordonneeslon x",
  location:
    "geolocalisation geopoint geopoint2d coordonnees coordonneesgeographiques coordinates geo location latlon latlong position geom point wkt",
  commune_code:
    "codeinsee insee codecommune codeinseecommune codecommuneinsee depcom codgeo codegeographique inseecom codeinseedelacommune",
  commune_name: "commune nomcommune ville comlieu city municipality localite nomdelacommune libellecommune",
  departement: "departement numdep codedepartement dep nomdepartement department codedep dpt",
  region: "region numregion coderegion nomregion reg",
  tags: "tags tag themes theme thematiques thematique domainethematique categories categorie category motscles keywords type typeequipement structure kind",
} as const;

export type GuessedField = keyof typeof COLUMN_HINTS;

/** Columns of personal data: never guessed and never copied to `extra`. */
export const PERSONAL =
  /mail|courriel|tel(?!e?visi)|phone|portable|mobile|fax|contact|prenom|responsable|referent|president|gerant|dirigeant|naissance/;
