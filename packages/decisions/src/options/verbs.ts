/**
 * Classifies what a request asks for or an option does by its first verb: "cancel my table" and `create_booking` have
 * the same object, but different verbs. English and French verbs are grouped; words outside all groups are ignored.
 */
import { stemOf } from "./terms.ts";

const GROUPS: readonly string[] = [
  // Look at something.
  `get show list find search check view read fetch retrieve lookup look display browse query tell give see describe
   know what which who where when track monitor inspect locate compare
   montre montrer affiche afficher donne donner dis liste lister trouve trouver cherche chercher recherche rechercher
   consulte consulter voir verifie verifier lis lire obtenir recupere quel quelle quels quelles combien quand suivre`,
  // Bring something into being.
  `create add make insert register generate write compose upload schedule plan build draft record note
   cree creer ajoute ajouter fais inscris inscrire redige rediger ecris ecrire genere generer planifie planifier
   programme programmer note noter enregistre enregistrer`,
  // Obtain something from somebody.
  `book reserve buy order purchase rent pay
   reserve reserver achete acheter commande commander loue louer paie payer`,
  // Change what exists.
  `update change edit modify set rename adjust replace move switch patch reschedule restore postpone
   modifie modifier change changer renomme renommer remplace remplacer deplace deplacer regle regler reporte reporter`,
  // Make something go away.
  `delete remove cancel clear erase drop uninstall revoke unsubscribe refund discard
   supprime supprimer annule annuler efface effacer enleve enlever retire retirer desinstalle resilie resilier
   rembourse rembourser`,
  // Hand something to somebody.
  `send share email mail forward notify transfer text reply invite
   envoie envoyer partage partager transmets transmettre previens prevenir vire virer reponds repondre invite inviter`,
  // Begin something.
  `play start run execute launch enable activate resume unlock unmute
   joue jouer lance lancer demarre demarrer execute executer active activer allume allumer reprends reprendre`,
  // End something.
  `stop pause mute disable deactivate lock block suspend freeze
   arrete arreter coupe couper desactive desactiver eteins eteindre bloque bloquer suspends suspendre verrouille`,
  // Work something out.
  `calculate compute convert evaluate solve estimate analyze translate summarize
   calcule calculer convertis convertir evalue evaluer estime estimer traduis traduire resume resumer`,
];

/** There is no verb that belongs to a group. */
export const NO_VERB = 0;

const GROUP_OF: ReadonlyMap<string, number> = new Map(
  GROUPS.flatMap((words, index) => words.split(/\s+/).map((word) => [stemOf(word), index + 1] as const)).toReversed(),
);

/** The group of the first verb among the tokens, or NO_VERB. */
export function verbGroupOf(tokens: readonly string[]): number {
  for (const token of tokens) {
    const group = GROUP_OF.get(stemOf(token));
    if (group !== undefined) return group;
  }
  return NO_VERB;
}
