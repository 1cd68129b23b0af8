/** Words of questions rather than of items, in French and English: the first that a query without matches drops. */
import { splitFolded, fold } from "../analyse.ts";

const TEXT = `
  je j tu il elle on nous vous ils elles me te se moi toi lui leur leurs mon ma mes ton ta tes son sa ses notre nos votre vos
  ce c cet cette ces ca cela ceci y en qui que quoi dont où quand comment combien pourquoi quel quelle quels quelles lequel laquelle
  est es suis sommes êtes sont était étaient été être sera serait soit a ai as ont avons avez avait avoir aurait
  fait faire fais faut peut peux peuvent pouvez pouvoir pourrais pourrait puis puisse veux veut voulons voulez vouloir voudrais voudrait
  cherche cherches cherchez chercher recherche rechercher trouve trouver trouves trouvent trouvez trouvé
  vais va vont allez aller aimerais aimerait souhaite souhaiter souhaiterais besoin envie connais connaître connaissez savoir sais
  voir vois jouer pratiquer essayer inscrire inscription inscrit participer obtenir suivre emmener aider
  visiter visite visites découvrir apprendre rencontrer acheter réserver garer demander renouveler consulter travailler emprunter
  ici là près proche proches proximité autour alentours environs côté loin dessus sous dans vers chez entre depuis avant après pendant
  plus moins très bien bon bons bonne bonnes beau beaux belle belles meilleur meilleure meilleurs meilleures grand plusieurs quelque quelques
  tout tous toute toutes chaque autre autres même aussi encore toujours ainsi comme si ni ne pas non oui sans selon soir matin
  aujourd hui demain hier ce jour jours semaine week end dimanche lundi mardi mercredi jeudi vendredi samedi matinée soirée
  ouvert ouverts ouverte ouvertes ouverture fermé fermée ferme fermeture horaire horaires heure heures
  tarif tarifs prix coûte coût entrée entrées gratuit gratuite gratuits gratuites payant billet billets ticket tickets
  adresse adresses téléphone tel numéro mail email site internet web contact coordonnées plan carte itinéraire localisation
  svp merci bonjour salut stp endroit endroits lieu lieux coin truc consacré consacrée situé située avec
  about into over between among within their his her its has have had get go going see learn buy take visiting someone something somewhere
  offer offers available us thanks hello the a an of in on at to for from by with and or is are be i my me you your we our it this that these those there here
  where what which who how when why do does can could would should want need find search looking look visit near nearby nearest closest around
  best trip good open opening hours price tickets free some any all please`;

/** Say what kind of thing is meant, and not every item of that kind has the word. */
const GENERAL: ReadonlySet<string> = new Set(
  splitFolded("association associations asso club clubs cours stage stages lecon lecons groupe lessons class classes"),
);

const WEAK: ReadonlySet<string> = new Set([...splitFolded(fold(TEXT)), ...GENERAL]);

/** `5e` is a part of a town, which few items name. */
const ORDINAL = /^\d{1,2}(?:e|er|eme|nd|nde|ere|st|th)$/;

export function isWeak(surface: string): boolean {
  return WEAK.has(surface) || ORDINAL.test(surface);
}

/** Weak even with synonyms. */
export function isGeneral(surface: string): boolean {
  return GENERAL.has(surface);
}
