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

/** `titre_de_l_exposition` */
export const TITLE_OF = /^(?:titre|intitule)_(?:de|du|des|d)_/;

/**
 * Further forms of names, as words joined by `_` (`Nom de l'établissement` is `nom_de_l_etablissement`): French exports
 * name a column after what it holds. Tried after the names above, in order; the values of the column must fit too.
 */
export const COLUMN_PATTERNS: Readonly<Partial<Record<GuessedField, readonly RegExp[]>>> = {
  commune_code: [/insee/, /^(?:code|cod|id)_(?:de_la_|la_)?com(?:mune)?(?:_|$)/, /^c(?:ode)?_?geo$/, /^citycode$/],
  commune_name: [
    /^(?:nom|lib|libelle)_(?:de_la_)?(?:commune|com|ville)(?:_|$)/,
    /(?:^|_)(?:commune|ville|municipalite|localite|city|town|locality)(?:_|$)/,
  ],
  departement: [/(?:^|_)(?:departements?|departemen|dept|dep|dpt)(?:_|$)/],
  region: [/(?:^|_)(?:region|reg)(?:_|$)/],
  code_postal: [/(?:^|_)(?:code_?postal|cod_?postal|cp|postal|postcode|zip)(?:_|$)/],
  rue: [
    /^(?:adresse|address|adr)(?:_(?:postale|complete|1|ligne_1|geographique|principale|physique))?$/,
    /(?:^|_)(?:adresse|address|adr|rue|street)(?:_|$)/,
    /(?:^|_)voie$/,
  ],
  location: [
    /geo_?point|geocod|geo_?loc|geo_?shape|coord|lat_?lo?ng?|lo?ng?_?lat|wgs_?84|(?:^|_)(?:xy|geo|geom|geometry|position|localisation|location|point|wkt)(?:_|$)/,
  ],
  lat: [/(?:^|_)(?:lat|latitude|ylat|lat_?wgs_?84|y_?wgs_?84)(?:_|$)/, /(?:^|_)(?:y|coordy|ycoord)(?:_|$)/],
  lon: [
    /(?:^|_)(?:lon|lng|long|longitude|xlong|long?_?wgs_?84|x_?wgs_?84)(?:_|$)/,
    /(?:^|_)(?:x|coordx|xcoord)(?:_|$)/,
  ],
  website: [/(?:^|_)(?:site_?(?:web|internet)|website|url|web|lien)(?:_|$)/],
  opening_hours: [/horaire/],
  description: [/(?:^|_)(?:descripti\w*|presentation)(?:_|$)/],
  tags: [
    /^(?:type|categorie|nature|theme|thematique|discipline|genre|famille|activite|domaine)s?(?:_|$)/,
    /_(?:type|categorie|nature|theme|discipline|activite)s?$/,
  ],
  title: [
    // What a row is about, before the name of its organization: `titre_de_la_ressource`, `nom_de_l_organisme`.
    TITLE_OF,
    /^(?:nom|titre|libelle|intitule|denomination|designation|appellation|raison_sociale|enseigne|name|title|label|toponyme)(?:_|\d|$)/,
    /(?:^|_)(?:nom|titre|libelle|lib|name|title|denomination|appellation|raison_sociale|enseigne|nomrs)(?:_|\d|$)/,
    /^(?:etablissement|equipement|lieu|site|structure|organisme|association|monument|gare|station|musee|salle|parc|parking|hotel|restaurant|festival|evenement|event|manifestation|ecole|college|lycee|bibliotheque|piscine)s?$/,
  ],
  id: [
    /^(?:id|identifiant|uid|uuid|gid|fid|objectid|object_id|ogc_fid|recordid|matricule|siret|rna|uai|finess|cle)(?:_|\d|$)/,
    /^(?:code|num|numero|ref|reference)(?:_|$)/,
    /_(?:id|uid|uuid|code|identifiant|ref|num|numero|uic|uai)$/,
    /^(?:id|code|num|ref)[a-z]+$/,
  ],
};

/** Names that match a pattern above but belong to another field. */
export const COLUMN_EXCLUSIONS: Readonly<Partial<Record<GuessedField, RegExp>>> = {
  commune_code: /epci|iris|(?:^|_)(?:dep|departement|reg|region|siren|canton|quartier)(?:_|$)/,
  commune_name: /insee|(?:^|_)(?:code|cp|id|population|site|url|epci|nombre|nb|type)(?:_|$)/,
  code_postal: /(?:^|_)(?:boite|id)(?:_|$)/,
  rue: /mail|(?:^|_)(?:web|internet|site|url|ip|type|complement|num|numero|code|id|insee|cp)(?:_|$)/,
  title:
    /(?:^|_)(?:commune|ville|com|city|departement|dep|dept|region|reg|epci|voie|rue|pays|gestionnaire|proprietaire|exploitant|operateur|amenageur|maitre|fichier|auteur|quartier|canton|academie|circonscription|type|categorie|nature|iris|statut|bailleur|mois|jour|code|id|url|date)(?:_|$)/,
  id: /postal|insee|(?:^|_)(?:cp|commune|com|region|reg|dep|departement|iris|epci|canton|naf|ape|ligne|voie|pays|langue|academie|secteur|type|categorie)(?:_|$)/,
  tags: /(?:^|_)(?:voie|adresse|code|id|num|geo|url)(?:_|$)/,
};

/** Columns of personal data, as words joined by `_`: never guessed and never copied to `extra`. */
export const PERSONAL =
  /mail|courriel|telephone|phone|(?:^|_|num|no)tel(?:_|\d|$)|(?:^|_)tel[a-z]{0,2}(?:_|$)|portable|mobile|(?:^|_)fax|contact|prenom|responsable|referent(?!iel)|president|gerant(?!ce)|dirigeant|(?:^|_)naissance|(?:date|lieu)_?(?:de_)?naissance/;
