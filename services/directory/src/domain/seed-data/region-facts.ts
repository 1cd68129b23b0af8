export interface RegionFacts {
  readonly region: string;
  /** Code of the département whose préfecture is the seat of the région's préfet. */
  readonly capital: string;
  /** Completes the sentence "Elle s'étend". */
  readonly site: string;
  readonly fact: string;
  readonly traits: readonly string[];
}

type Row = readonly [region: string, capital: string, traits: readonly string[], site: string, fact: string];

const ROWS: readonly Row[] = [
  [
    "01",
    "971",
    ["ile", "littoral", "montagne", "outre-mer"],
    "sur un archipel des Petites Antilles",
    "La Soufrière, volcan actif, y est le plus haut sommet des Petites Antilles.",
  ],
  [
    "02",
    "972",
    ["ile", "littoral", "montagne", "outre-mer"],
    "entre la mer des Caraïbes et l'Atlantique",
    "La montagne Pelée, dont l'éruption détruisit Saint-Pierre en 1902, domine le nord de l'île.",
  ],
  [
    "03",
    "973",
    ["littoral", "outre-mer"],
    "sur la côte nord-est de l'Amérique du Sud, entre le Suriname et le Brésil",
    "La forêt en couvre la plus grande partie, et les fusées européennes décollent de Kourou.",
  ],
  [
    "04",
    "974",
    ["ile", "littoral", "montagne", "outre-mer"],
    "sur une île volcanique de l'océan Indien",
    "Le piton des Neiges y dépasse 3 000 mètres, et le piton de la Fournaise est l'un des volcans les plus actifs du monde.",
  ],
  [
    "06",
    "976",
    ["ile", "littoral", "outre-mer"],
    "dans le canal de Mozambique, entre Madagascar et l'Afrique",
    "Elle est devenue département en 2011 et possède l'un des plus grands lagons du monde.",
  ],
  [
    "11",
    "75",
    [],
    "autour de Paris, au centre du Bassin parisien",
    "C'est la région la plus peuplée de France, et la moins étendue de métropole après la Corse.",
  ],
  [
    "24",
    "45",
    ["patrimoine-mondial"],
    "au sud-ouest de Paris, autour du cours moyen de la Loire",
    "Le Val de Loire et ses châteaux y sont inscrits au patrimoine mondial depuis 2000.",
  ],
  [
    "27",
    "21",
    ["montagne", "patrimoine-mondial"],
    "de la Loire à la frontière suisse",
    "Le préfet siège à Dijon, tandis que le conseil régional a son siège à Besançon.",
  ],
  [
    "28",
    "76",
    ["littoral", "patrimoine-mondial"],
    "le long de la Manche, de part et d'autre de l'estuaire de la Seine",
    "Elle réunit depuis 2016 la Haute et la Basse-Normandie ; le Mont-Saint-Michel s'y trouve.",
  ],
  [
    "32",
    "59",
    ["littoral", "patrimoine-mondial"],
    "de la Belgique et de la mer du Nord aux portes de Paris",
    "Le bassin minier du Nord et du Pas-de-Calais y est inscrit au patrimoine mondial depuis 2012.",
  ],
  [
    "44",
    "67",
    ["montagne", "patrimoine-mondial"],
    "de la Champagne au Rhin",
    "C'est la seule région de France qui touche à la fois la Belgique, le Luxembourg, l'Allemagne et la Suisse.",
  ],
  [
    "52",
    "44",
    ["littoral"],
    "de l'Atlantique au Maine et à l'Anjou, autour de la basse Loire",
    "Saint-Nazaire y est l'un des grands ports de construction navale d'Europe.",
  ],
  [
    "53",
    "35",
    ["littoral"],
    "sur une péninsule entre la Manche et l'Atlantique",
    "Le breton et le gallo s'y parlent encore, et les alignements de Carnac y datent du Néolithique.",
  ],
  [
    "75",
    "33",
    ["littoral", "montagne", "patrimoine-mondial"],
    "du Poitou aux Pyrénées, le long de l'Atlantique",
    "C'est la région la plus vaste de métropole ; la dune du Pilat y est la plus haute d'Europe.",
  ],
  [
    "76",
    "31",
    ["littoral", "montagne", "patrimoine-mondial"],
    "des Pyrénées au Massif central et à la Méditerranée",
    "Avec treize départements, c'est la région qui en compte le plus ; le canal du Midi la traverse.",
  ],
  [
    "84",
    "69",
    ["montagne", "patrimoine-mondial"],
    "du Massif central aux Alpes",
    "Le mont Blanc, plus haut sommet des Alpes, s'élève à sa frontière avec l'Italie.",
  ],
  [
    "93",
    "13",
    ["littoral", "montagne", "patrimoine-mondial"],
    "entre le Rhône, les Alpes et la Méditerranée",
    "La Camargue, les gorges du Verdon et la Côte d'Azur s'y côtoient.",
  ],
  [
    "94",
    "2A",
    ["ile", "littoral", "montagne", "patrimoine-mondial"],
    "sur une île montagneuse de la Méditerranée",
    "Le monte Cinto y dépasse 2 700 mètres ; le golfe de Porto est inscrit au patrimoine mondial depuis 1983.",
  ],
];

export const REGION_FACTS: readonly RegionFacts[] = ROWS.map(([region, capital, traits, site, fact]) => ({
  region,
  capital,
  traits,
  site,
  fact,
}));
