/**
 * Generates French-looking text: hand-written words as the frequent words of a Zipf distribution, and a long tail of
 * derived words (root + ending, in patterns of the stemmer), for a vocabulary of about fifty thousand words.
 */
import type { Random } from "../test/support/random.ts";

const FUNCTION_WORDS =
  "de la le et les des en un une du dans pour par sur au avec que qui est sont ce cette ces il elle nous vous leurs son sa ses plus aux ou mais se ne pas tous toutes chaque entre depuis".split(
    " ",
  );
const CONTENT_WORDS =
  "association commune culture spectacle concert exposition bibliothèque médiathèque musée théâtre école atelier formation quartier jeune enfant famille habitant patrimoine histoire château église chapelle village ville marché jardin parc forêt rivière mer montagne chemin randonnée vélo sport club équipe tournoi piscine gymnase stade musique danse peinture sculpture photographie cinéma film livre lecture auteur édition poésie conte fête festival saison programme accueil visite guide groupe public gratuit tarif horaire ouverture réservation billet salle scène espace numérique fabrication partage réparation couture cuisine potager compost énergie solaire climat eau déchet recyclage solidarité aide alimentaire logement emploi insertion handicap santé médecin maison centre social accompagnement permanence service démarche mairie préfecture département région nationale européenne projet réseau partenaire bénévole adhérent rencontre débat conférence recherche science université laboratoire innovation entreprise coopérative artisan métier savoir tradition breton occitan alsacien corse basque mémoire guerre résistance archives document collection œuvre artiste résidence création contemporain ancien moderne médiéval roman gothique renaissance restauration construction bois pierre terre verre céramique textile mode bijou".split(
    " ",
  );
const ROOTS =
  "abond achat agric alg allum amarr ambul ancr anim appel aqua arbor arch argent arm arpent assembl astr attel aubergi aval balad balis banqu bard barr basan bât bav bénévol berg biblio bocag bois bord botan boul bourg brass brod bûch cabin cadr calc camp canal canton capt carr cart castr caval célébr cercl cérémoni chant charbon charp chass chauff chemin chor circul cloch coll coloni command commerc compagn concert condui conserv consult cord coteau coul courb cout crêp crois cultiv cycl dél départ dessin distill document doman drap dur écart échang éclair éduc élev embarqu embell enseign ensoleill éolien équit escal esplan estiv étang évêch explor fabul fanfar farin faun féder ferm ferronn feuill fil flor fond font forg form fort foul fourn franch fresqu fromag front galet gard garenn gest gîte glan goût grang grav greff grott guin haras herb hôtel horlog huil hydraul imag imprim incub insul install instrument inter invent irrig ivoir jachèr jardin jet jou jumel labour lac lagun lamp land lav légend levain liber lieutenan lign littor log lumièr luth machin maçonn magasin main marais marbr marin maroquin martel mass mati mécan mégalith menuis mercer merveill mesur meun miel mineral mir mobil monast mont moul mun mur nautic navig niv nomad not nouv observ océan offic oliv ombr opér orang orchestr orfèvr orgu orient ostré outil".split(
    " ",
  );
const ENDINGS =
  "age ages aire aires ance ances ation ations ateur atrice ateurs eur eurs euse euses ement ements able ables ique iques isme iste istes ité ités if ive ifs ives er ée ées é és ant ante ants erie eries ière ières ier iers ette ettes oir oire oires ure ures al ale aux ales esque ueux ade ades in ine ines on ons elle elles ard arde et ets".split(
    " ",
  );

const BEGINNINGS = ["re", "dé", "sur", "pré", "contre", "inter"];

export interface TextSource {
  /** A content word; frequent ones most often. */
  word(): string;
  sentence(words: number): string;
}

export function frenchText(random: Random): TextSource {
  const derived = ROOTS.flatMap((root) => ENDINGS.map((ending) => root + ending));
  const doubled = derived.flatMap((word, position) => {
    const beginning = BEGINNINGS[position % 8];
    return beginning === undefined ? [word] : [word, beginning + word];
  });
  const vocabulary = [...CONTENT_WORDS, ...shuffled(doubled, random)];
  // Zipf's law with exponent 1: the rank is exponential in a uniform number.
  const spread = Math.log(vocabulary.length + 1);
  const word = () => vocabulary[Math.floor(Math.exp(random.next() * spread)) - 1];
  return {
    word,
    sentence(words) {
      const parts = Array.from({ length: words }, () => (random.chance(0.45) ? random.pick(FUNCTION_WORDS) : word()));
      const text = parts.join(" ").replaceAll(/\b(le|la|de) (?=[aeiouhéèêâœ])/g, (article) => `${article[0]}'`);
      return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
    },
  };
}

function shuffled(words: readonly string[], random: Random): string[] {
  const result = [...words];
  for (let last = result.length - 1; last > 0; last--) {
    const other = random.below(last + 1);
    [result[last], result[other]] = [result[other], result[last]];
  }
  return result;
}
