/**
 * The préfecture town of each of the 101 départements. The sample is composed from them, and the map uses them as
 * anchors without installed outlines. Compiled by hand: positions are town centers in WGS84 degrees; a test checks
 * names and codes against the official list.
 */
export interface Prefecture {
  /** Code of the département. */
  readonly departement: string;
  /** Text between "préfecture" and the département's name: `de l'` Ain, `du ` Cantal. */
  readonly article: string;
  readonly town: string;
  /** INSEE code of the commune. */
  readonly commune: string;
  readonly lat: number;
  readonly lon: number;
  /** Location of the town, to follow "La ville est située". */
  readonly site: string;
}

type Row = readonly [
  departement: string,
  article: string,
  town: string,
  commune: string,
  lat: number,
  lon: number,
  site: string,
];

const ROWS: readonly Row[] = [
  ["01", "de l'", "Bourg-en-Bresse", "01053", 46.2052, 5.2255, "sur la Reyssouze, entre Bresse et Revermont"],
  ["02", "de l'", "Laon", "02408", 49.5641, 3.6199, "sur une butte isolée au-dessus de la plaine picarde"],
  ["03", "de l'", "Moulins", "03190", 46.5664, 3.3329, "sur la rive droite de l'Allier"],
  ["04", "des ", "Digne-les-Bains", "04070", 44.0925, 6.2356, "sur la Bléone, dans les Préalpes"],
  ["05", "des ", "Gap", "05061", 44.5594, 6.0786, "dans un bassin arrosé par la Luye"],
  ["06", "des ", "Nice", "06088", 43.7009, 7.2684, "au bord de la Méditerranée, sur la baie des Anges"],
  ["07", "de l'", "Privas", "07186", 44.7353, 4.5993, "au-dessus de la vallée de l'Ouvèze"],
  ["08", "des ", "Charleville-Mézières", "08105", 49.7715, 4.7198, "dans les méandres de la Meuse"],
  ["09", "de l'", "Foix", "09122", 42.9656, 1.6078, "sur l'Ariège, au pied des Pyrénées"],
  ["10", "de l'", "Troyes", "10387", 48.2973, 4.0744, "sur la Seine, en Champagne"],
  ["11", "de l'", "Carcassonne", "11069", 43.2122, 2.3537, "sur l'Aude et le canal du Midi"],
  ["12", "de l'", "Rodez", "12202", 44.3497, 2.5757, "sur un piton entouré par l'Aveyron"],
  ["13", "des ", "Marseille", "13055", 43.2965, 5.3698, "au bord de la Méditerranée, autour du Vieux-Port"],
  ["14", "du ", "Caen", "14118", 49.1829, -0.3707, "sur l'Orne, à une quinzaine de kilomètres de la Manche"],
  ["15", "du ", "Aurillac", "15014", 44.9285, 2.4433, "sur la Jordanne, au pied des monts du Cantal"],
  ["16", "de la ", "Angoulême", "16015", 45.6484, 0.1562, "sur un plateau qui domine la Charente"],
  ["17", "de la ", "La Rochelle", "17300", 46.1603, -1.1511, "au bord de l'Atlantique, face à l'île de Ré"],
  ["18", "du ", "Bourges", "18033", 47.081, 2.3988, "au confluent de l'Yèvre et de l'Auron"],
  ["19", "de la ", "Tulle", "19272", 45.2678, 1.7706, "dans la vallée étroite de la Corrèze"],
  ["21", "de la ", "Dijon", "21231", 47.322, 5.0415, "au confluent de l'Ouche et du Suzon"],
  ["22", "des ", "Saint-Brieuc", "22278", 48.5141, -2.7603, "au fond de la baie qui porte son nom"],
  ["23", "de la ", "Guéret", "23096", 46.1719, 1.8712, "au pied des monts de Guéret"],
  ["24", "de la ", "Périgueux", "24322", 45.1848, 0.7218, "dans un méandre de l'Isle"],
  ["25", "du ", "Besançon", "25056", 47.2378, 6.0241, "dans une boucle du Doubs"],
  ["26", "de la ", "Valence", "26362", 44.9334, 4.8924, "sur la rive gauche du Rhône"],
  ["27", "de l'", "Évreux", "27229", 49.0241, 1.1508, "dans la vallée de l'Iton"],
  ["28", "d'", "Chartres", "28085", 48.4439, 1.489, "sur l'Eure, au milieu de la Beauce"],
  ["29", "du ", "Quimper", "29232", 47.996, -4.1024, "au confluent de l'Odet et du Steïr"],
  ["2A", "de la ", "Ajaccio", "2A004", 41.9192, 8.7386, "sur la rive nord du golfe d'Ajaccio"],
  ["2B", "de la ", "Bastia", "2B033", 42.6973, 9.4509, "au bord de la mer Tyrrhénienne, au pied du cap Corse"],
  ["30", "du ", "Nîmes", "30189", 43.8367, 4.3601, "entre les garrigues et la plaine de la Vistrenque"],
  ["31", "de la ", "Toulouse", "31555", 43.6045, 1.4442, "sur la Garonne, là où commence le canal du Midi"],
  ["32", "du ", "Auch", "32013", 43.646, 0.5867, "sur le Gers, au cœur de la Gascogne"],
  ["33", "de la ", "Bordeaux", "33063", 44.8378, -0.5792, "dans un méandre de la Garonne"],
  ["34", "de l'", "Montpellier", "34172", 43.611, 3.8767, "sur le Lez, à une dizaine de kilomètres de la mer"],
  ["35", "d'", "Rennes", "35238", 48.1113, -1.68, "au confluent de l'Ille et de la Vilaine"],
  ["36", "de l'", "Châteauroux", "36044", 46.8106, 1.691, "sur l'Indre, en Champagne berrichonne"],
  ["37", "d'", "Tours", "37261", 47.3941, 0.6848, "entre la Loire et le Cher"],
  [
    "38",
    "de l'",
    "Grenoble",
    "38185",
    45.1885,
    5.7245,
    "au confluent de l'Isère et du Drac, entre trois massifs alpins",
  ],
  ["39", "du ", "Lons-le-Saunier", "39300", 46.675, 5.555, "sur la Vallière, au pied du premier plateau du Jura"],
  ["40", "des ", "Mont-de-Marsan", "40192", 43.8911, -0.5004, "là où la Douze et le Midou forment la Midouze"],
  ["41", "de ", "Blois", "41018", 47.5861, 1.3359, "sur la rive droite de la Loire"],
  ["42", "de la ", "Saint-Étienne", "42218", 45.4397, 4.3872, "sur le Furan, près du massif du Pilat"],
  ["43", "de la ", "Le Puy-en-Velay", "43157", 45.0433, 3.885, "dans un bassin hérissé de pitons volcaniques"],
  ["44", "de la ", "Nantes", "44109", 47.2184, -1.5536, "sur la Loire, au confluent de l'Erdre"],
  ["45", "du ", "Orléans", "45234", 47.903, 1.9093, "au point le plus au nord du cours de la Loire"],
  ["46", "du ", "Cahors", "46042", 44.4475, 1.4406, "dans une boucle du Lot"],
  ["47", "de ", "Agen", "47001", 44.2049, 0.6212, "sur la Garonne, entre Bordeaux et Toulouse"],
  ["48", "de la ", "Mende", "48095", 44.5184, 3.4991, "dans la haute vallée du Lot, au pied du causse de Mende"],
  ["49", "de ", "Angers", "49007", 47.4736, -0.5542, "sur la Maine, près de la Loire"],
  ["50", "de la ", "Saint-Lô", "50502", 49.1154, -1.0908, "sur la Vire, au milieu du bocage"],
  ["51", "de la ", "Châlons-en-Champagne", "51108", 48.9566, 4.3631, "sur la Marne, le Mau et le Nau"],
  ["52", "de la ", "Chaumont", "52121", 48.1113, 5.1392, "sur un éperon entre la Marne et la Suize"],
  ["53", "de la ", "Laval", "53130", 48.0704, -0.77, "sur la Mayenne"],
  ["54", "de ", "Nancy", "54395", 48.6921, 6.1844, "sur la Meurthe, en Lorraine"],
  ["55", "de la ", "Bar-le-Duc", "55029", 48.7733, 5.1583, "sur l'Ornain et le canal de la Marne au Rhin"],
  ["56", "du ", "Vannes", "56260", 47.6582, -2.7608, "au fond du golfe du Morbihan"],
  ["57", "de la ", "Metz", "57463", 49.1193, 6.1757, "au confluent de la Moselle et de la Seille"],
  ["58", "de la ", "Nevers", "58194", 46.9897, 3.159, "au confluent de la Loire et de la Nièvre"],
  ["59", "du ", "Lille", "59350", 50.6366, 3.0635, "sur la Deûle, près de la frontière belge"],
  ["60", "de l'", "Beauvais", "60057", 49.43, 2.0823, "au confluent du Thérain et de l'Avelon"],
  ["61", "de l'", "Alençon", "61001", 48.4329, 0.0913, "sur la Sarthe, au sud de la forêt d'Écouves"],
  ["62", "du ", "Arras", "62041", 50.291, 2.7775, "sur la Scarpe, en Artois"],
  ["63", "du ", "Clermont-Ferrand", "63113", 45.7772, 3.087, "au pied de la chaîne des Puys"],
  ["64", "des ", "Pau", "64445", 43.2951, -0.3708, "au-dessus du gave de Pau, face aux Pyrénées"],
  ["65", "des ", "Tarbes", "65440", 43.2328, 0.0781, "sur l'Adour, dans la plaine de Bigorre"],
  ["66", "des ", "Perpignan", "66136", 42.6987, 2.8956, "sur la Têt, dans la plaine du Roussillon"],
  ["67", "du ", "Strasbourg", "67482", 48.5734, 7.7521, "sur l'Ill et le Rhin, face à l'Allemagne"],
  ["68", "du ", "Colmar", "68066", 48.0794, 7.3585, "sur la Lauch, au bord du vignoble d'Alsace"],
  ["69", "du ", "Lyon", "69123", 45.764, 4.8357, "au confluent du Rhône et de la Saône"],
  ["70", "de la ", "Vesoul", "70550", 47.6199, 6.154, "sur le Durgeon, au pied de la colline de la Motte"],
  ["71", "de ", "Mâcon", "71270", 46.3069, 4.8287, "sur la rive droite de la Saône"],
  ["72", "de la ", "Le Mans", "72181", 48.0061, 0.1996, "au confluent de la Sarthe et de l'Huisne"],
  ["73", "de la ", "Chambéry", "73065", 45.5646, 5.9178, "sur la Leysse, entre les Bauges et la Chartreuse"],
  ["74", "de la ", "Annecy", "74010", 45.8992, 6.1294, "au bord du lac d'Annecy, d'où sort le Thiou"],
  ["75", "de ", "Paris", "75056", 48.8566, 2.3522, "sur la Seine, autour de l'île de la Cité"],
  ["76", "de la ", "Rouen", "76540", 49.4432, 1.0993, "dans un méandre de la Seine"],
  ["77", "de ", "Melun", "77288", 48.5397, 2.6606, "sur les deux rives de la Seine et une île"],
  ["78", "des ", "Versailles", "78646", 48.8014, 2.1301, "entre des bois, au sud-ouest de Paris"],
  ["79", "des ", "Niort", "79191", 46.3239, -0.4588, "sur la Sèvre niortaise"],
  ["80", "de la ", "Amiens", "80021", 49.8941, 2.2958, "sur la Somme, en Picardie"],
  ["81", "du ", "Albi", "81004", 43.9289, 2.1464, "sur le Tarn"],
  ["82", "de ", "Montauban", "82121", 44.0176, 1.355, "au confluent du Tarn et du Tescou"],
  ["83", "du ", "Toulon", "83137", 43.1242, 5.928, "au fond d'une rade de la Méditerranée, au pied du mont Faron"],
  ["84", "de ", "Avignon", "84007", 43.9493, 4.8055, "sur la rive gauche du Rhône"],
  ["85", "de la ", "La Roche-sur-Yon", "85191", 46.6705, -1.4265, "sur l'Yon, au milieu du bocage vendéen"],
  ["86", "de la ", "Poitiers", "86194", 46.5802, 0.3404, "sur un promontoire entre le Clain et la Boivre"],
  ["87", "de la ", "Limoges", "87085", 45.8336, 1.2611, "sur la Vienne"],
  ["88", "des ", "Épinal", "88160", 48.1724, 6.4497, "sur la Moselle"],
  ["89", "de l'", "Auxerre", "89024", 47.7982, 3.5673, "sur la rive gauche de l'Yonne"],
  ["90", "du ", "Belfort", "90010", 47.638, 6.8629, "sur la Savoureuse, entre les Vosges et le Jura"],
  ["91", "de l'", "Évry-Courcouronnes", "91228", 48.629, 2.441, "sur la rive gauche de la Seine"],
  ["92", "des ", "Nanterre", "92050", 48.8924, 2.2071, "dans une boucle de la Seine, à l'ouest de Paris"],
  ["93", "de la ", "Bobigny", "93008", 48.9086, 2.4396, "sur le canal de l'Ourcq, au nord-est de Paris"],
  ["94", "du ", "Créteil", "94028", 48.7904, 2.4556, "sur la Marne, au sud-est de Paris"],
  ["95", "du ", "Cergy", "95127", 49.0364, 2.0633, "dans une boucle de l'Oise"],
  [
    "971",
    "de la ",
    "Basse-Terre",
    "97105",
    15.9958,
    -61.7292,
    "au bord de la mer des Caraïbes, au pied de la Soufrière",
  ],
  ["972", "de la ", "Fort-de-France", "97209", 14.6037, -61.0731, "sur une baie de la mer des Caraïbes"],
  [
    "973",
    "de la ",
    "Cayenne",
    "97302",
    4.9372,
    -52.326,
    "au bord de l'Atlantique, entre les rivières de Cayenne et de Mahury",
  ],
  ["974", "de ", "Saint-Denis", "97411", -20.8789, 55.4481, "sur la côte nord de l'île, au bord de l'océan Indien"],
  ["976", "de ", "Mamoudzou", "97611", -12.7806, 45.2279, "sur la côte est de Grande-Terre, au bord du lagon"],
];

/** By code of the département. */
export const PREFECTURES: readonly Prefecture[] = ROWS.map(([departement, article, town, commune, lat, lon, site]) => ({
  departement,
  article,
  town,
  commune,
  lat,
  lon,
  site,
}));

/** Traits of the towns as tags: tag -> codes of the départements whose préfecture has it. */
export const TOWN_TRAITS: Readonly<Record<string, readonly string[]>> = {
  littoral: ["06", "13", "17", "22", "2A", "2B", "56", "83", "971", "972", "973", "974", "976"],
  ile: ["2A", "2B", "971", "972", "974", "976"],
  montagne: ["04", "05", "09", "15", "38", "48", "73", "74"],
  "outre-mer": ["971", "972", "973", "974", "976"],
  "patrimoine-mondial": "06 11 18 21 24 25 28 30 31 33 37 41 43 45 46 51 54 62 67 69 75 78 80 81 84".split(" "),
};
