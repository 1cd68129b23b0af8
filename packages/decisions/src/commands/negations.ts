/**
 * Clauses that forbid or decline an act: "don't send it", "no need to remind me", "ne lance pas la commande", "inutile de
 * chercher". A statement ("I don't know the time"), a question ("why don't you …?") and "don't forget to …" are none.
 * Patterns on folded text; English and French.
 */
const POLITE =
  "(?:please|pls|plz|hey|hi|hello|ok|okay|well|so|and|but|then|also|now|just|kindly|again|no|nope|stop|wait|look|listen|really|seriously|actually|oh|for now|whatever you do|in any case|at all costs|for the love of god|thanks|thank you|triptych|assistant|s'il (?:te|vous) plait|stp|svp|et|mais|alors|donc|non|ok|d'accord|surtout|attention|bon|attends|attendez|arrete|arretez|stop|merci|salut|bonjour|quoi qu'il arrive|pour l'instant|en tout cas|de grace)";
const LEAD = `^\\W*(?:${POLITE}\\b\\W*){0,4}`;
/** Harmless after "don't": the act that follows is meant. */
const MEANT =
  "(?:forget|hesitate|worry|mind|let me (?:forget|miss|down|be late|oversleep)|miss|keep me (?:waiting|guessing)|leave me|you\\b|we\\b|i\\b|they\\b|know|fail|be (?:shy|afraid|silly|late|long)|wait|just|make me (?:wait|beg|ask)|lose (?:time|sight))";
const OUBLIE =
  "(?:oublie|oubliez|oublions|hesite|hesitez|(?:t'|vous |te )?(?:inquiete|inquietez|gene|genez|prive|privez)|manque pas|tarde|tardez|perds|perdez|(?:me |nous )?(?:laisse|laissez|fais|faites) (?:pas )?(?:oublier|rater|manquer|attendre|languir|dormir|louper)|me (?:laisse|laissez|fais|faites) pas)";
const DESIRE_EN = "(?:want|need|wish|require|care for|like)";
const ACT_EN =
  "(?:send|email|mail|write|run|execute|launch|start|open|read|delete|remove|cancel|search|google|look|find|translate|convert|calculate|compute|set|remind|save|note|fetch|get|call|book|order|buy|play|turn|show|tell|create|add|make|update|change|share|post|transfer|pay|see|hear|know)";

const NEGATED: readonly RegExp[] = [
  // Imperatives: "don't …", "never …", "please do not …".
  new RegExp(
    `${LEAD}(?:do not|do nt|don't|dont|don t|never(?: ever)?|don't you (?:dare|ever)|do not you dare) (?:you dare |you ever |ever |even |bother (?:to |with )?)*(?!${MEANT})`,
  ),
  // To the addressee: "you must not …", "you don't have to …", "you needn't …".
  /\byou (?:really )?(?:must not|mustn't|should not|shouldn't|shall not|may not|need not|needn't|do not (?:have|need) to|don't (?:have|need) to|are not (?:to|allowed|supposed)|aren't (?:to|allowed|supposed)|can skip|ought not)\b(?![^?]*\?\s*$)/,
  /\bi(?:'d| would| do)? (?:really )?(?:rather|prefer|prefer it if|ask|asked|beg|want|need|told)(?: that| it if)? you (?:did not|didn't|do not|don't|not|would not|wouldn't|never)\b/,
  /\bi (?:really )?(?:forbid|prohibit) (?:you|anyone|this|that)\b/,
  /\b(?:let's|let us|lets|we(?:'d)? better|you(?:'d| had)? better) not\b/,
  /\bwe (?:really )?(?:should not|shouldn't|must not|mustn't|do not want|don't want|do not need|don't need) (?:to|you|the|a|an|any)\b/,
  /\b(?:can|could|would|will) you (?:please |kindly )?not (?!(?:see|hear|find|read|understand)\b)\w+/,
  /\b(?:nobody|no one|noone) (?:should|must|may|is to)\b/,
  /\bi(?:'d| would)(?: really)? (?:prefer|rather|like) (?:to )?(?:not(?: to)?|no)\b/,
  new RegExp(`${LEAD}forget (?:about )?(?:the|that|this|it|my|sending|calling)\\b`),
  // The speaker declines: "I don't want the weather", "I do not need you to …".
  new RegExp(
    `\\bi (?:really )?(?:do not|don't|dont|no longer|never) (?:${DESIRE_EN})(?:ed)? (?:you\\b|(?:the|a|an|any|that|this|those|these|your)\\b|to ${ACT_EN}\\b|it\\b)`,
  ),
  new RegExp(`\\bi (?:would not|wouldn't) (?:like|want) (?:you|the|a|an|any|that|this|to ${ACT_EN}\\b)`),
  // "No need to …", "it is not necessary to …", "no email please".
  /\b(?:no need|not necessary|unnecessary|no reason|no point|not needed|isn't necessary|is not required|isn't needed|useless)\b(?: (?:to|for|in|at all)\b| (?:\w+ing)\b|\W*$)/,
  new RegExp(`${LEAD}no (?:more )?(?:\\w+ ){1,3}?(?:(?:to|for|about|of|from) (?:\\w+ ){1,4})?please\\W*$`),
  new RegExp(`${LEAD}no more \\w+`),
  // "Avoid sending …", "refrain from …", "under no circumstances …", "stop …ing".
  new RegExp(`${LEAD}(?:avoid|refrain from|abstain from|hold off(?: on)?|quit|cease|stop) (?:\\w+ing|doing)\\b`),
  /\b(?:under no circumstances?|in no case|on no account|by no means|at no time)\b/,
  /\b(?:is|are|it's|it is) (?:strictly )?(?:forbidden|prohibited|not allowed|off limits)\b/,
  /\b(?:without|instead of|rather than) (?:\w+ing)\b/,
  // French imperatives: "ne lance pas …", "n'envoie jamais …", "surtout ne …".
  new RegExp(
    `${LEAD}(?:ne |n')(?!${OUBLIE})(?:(?:me|te|se|le|la|les|lui|leur|nous|vous|y|en|l'|m'|t'|s') ?)*(?!${OUBLIE})[\\w'-]+(?: surtout| plus| donc| absolument)? (?:pas|plus|jamais|rien|aucun|aucune|ni)\\b`,
  ),
  new RegExp(
    `(?:^|[\\s,:])(?:merci|priere|priez|prie|demande|demandes|prefere|conseille|veille|veillez|attention a|en sorte|promets|jure|interdit)(?: bien)?(?: de| a| toi de| vous de)? ne (?:surtout )?(?:pas|plus|jamais|rien)\\b`,
  ),
  new RegExp(
    `${LEAD}ne (?:surtout )?(?:pas|plus|jamais|rien) (?:(?:me|te|le|la|les|lui|leur|y|en) )?(?!oublier|hesiter)\\w+(?:er|ir|re|oir)\\b`,
  ),
  // "Je ne veux pas …", "tu ne dois pas …", "je préfère que tu n'envoies pas …".
  /\bje (?:ne |n')?(?:veux|voudrais|souhaite|desire|demande|tiens) (?:surtout )?(?:pas|plus)(?: (?:de|d'|que|qu'|le|la|les|l'|un|une|des|du|cette?|ces|ca|a|\w+(?:er|ir|re|oir))\b|\W*$)/,
  /\bj(?:e n'ai|'ai) (?:pas|plus|aucunement|nullement) besoin\b/,
  /\b(?:tu|vous|on) (?:ne |n')?(?:dois|devez|doit|peux|pouvez|as|avez|a)(?: surtout)? (?:pas|plus|jamais)(?: (?:besoin|a|le droit|interet)\b| [\w']+(?:er|ir|re|oir)\b)(?![^?]*\?\s*$)/,
  new RegExp(
    `\\b(?:je|j'|on|nous)[\\w' ]{0,24}(?:prefere|prefererais|prefererait|aimerais|aimerait|veux|voudrais|souhaite|demande|exige|insiste pour)(?: autant| mieux)? (?:pas )?que (?:tu|vous|personne|rien) ?(?:ne |n')`,
  ),
  /\b(?:(?:je|j'|on|nous)[\w' ]{0,24}(?:prefere|prefererais|aimerais|voudrais)|mieux vaut|vaut mieux|autant)(?: autant| mieux)? ne (?:surtout )?(?:pas|plus|rien)\b/,
  /\b(?:que )?personne ne (?:doit|devrait|\w+)\b(?![^?]*\?\s*$)/,
  new RegExp(`${LEAD}(?:oublie|oubliez) (?:le|la|les|l'|ca|cette?|ce|mon|ma) ?`),
  /\b(?:il (?:ne )?faut|faut|il ne faudrait)(?: surtout)? (?:pas|plus|jamais)\b/,
  /\b(?:je|j')(?: te| t'| vous|t'| l')? ?interdis\b/,
  // "Inutile de …", "pas besoin de …", "pas de mail …", "évite de …", "sans envoyer …".
  /\b(?:inutile|superflu)\b(?: (?:de|d'|que)|\W*$)/,
  /\b(?:pas|aucun|plus|nul|guere)(?: du tout)? (?:besoin|utile|necessaire|la peine|question|l'utilite|d'utilite|l'intention)\b(?:\W*$| (?:de|d'|que|qu'|pour|a)|\W)/,
  /\b(?:ca ne sert a rien|a quoi bon|hors de question|n'est pas (?:utile|necessaire|la peine)|laisse tomber|laissez tomber)\b/,
  new RegExp(`${LEAD}(?:surtout )?(?:pas|plus|jamais|aucun|aucune) (?:de |d'|un |une )?(?!mal\\b|encore|du tout)\\w+`),
  /\b(?:evite|evitez|eviter|abstiens-toi|abstenez-vous|garde-toi|gardez-vous|dispense-toi|arrete|arretez|cesse|cessez|retiens-toi)(?: donc| surtout)? (?:de|d')(?:\s|\b)/,
  /\b(?:sous aucun pretexte|en aucun cas|a aucun prix|en aucune facon|interdiction|defense|interdit) ?(?:de|d'|tu|vous|que|ne|n'|\w)/,
  /\b(?:sans|au lieu de|plutot que de|plutot que d') ?(?:(?:me|te|le|la|les|lui|en|y|rien) )*\w+(?:er|ir|re|oir)\b/,
];

const QUESTION =
  /^\W*(?:why|how come|what if|pourquoi|comment se fait|est-ce que|est-ce qu')\b|^\W*(?:do|does|did|is|are|was|were|will|would|can|could|should|have|has)n't (?:you|it|there|he|she|they|we|i|the|this|that|my)\b|^\W*(?:won't|can't|isn't|aren't|don't) (?:you|it|there|he|she|they|we|i)\b/;
const DARE = /^\W*don't you (?:dare|ever)\b/;

/** Where the negation begins, or -1. `clause` is folded. */
export function findNegation(clause: string): number {
  if (QUESTION.test(clause) && !DARE.test(clause)) return -1;
  const text = clause.replace(APOLOGY, (found) => " ".repeat(found.length));
  let first = -1;
  for (const pattern of NEGATED) {
    const found = pattern.exec(text);
    if (found !== null && (first < 0 || found.index < first)) first = found.index;
  }
  return first;
}

/** Set phrases that contain a negation and decline nothing. */
const APOLOGY =
  /\b(?:if you don't mind|if it's not too much trouble|why not|not only|no problem|no worries|never mind the \w+|si (?:ca|cela) ne (?:te|vous) derange pas|si ce n'est pas trop demander|n'est-ce pas|pas de (?:souci|probleme)|pas mal|il n'y a pas de mal|n'importe (?:quoi|ou|quand|qui|quel|quelle|lequel))\b/g;
