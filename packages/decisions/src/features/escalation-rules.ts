/**
 * Rules for an escalation, in English and French: a request for a human, a lawyer, an emergency, an unauthorized
 * payment. Patterns match folded tokens joined by spaces. A match is one piece of evidence; no rule decides alone.
 */

export const HAND_OFF_RULES = ["asks_for_human", "legal", "medical", "payment_dispute"] as const;
export type HandOffRule = (typeof HAND_OFF_RULES)[number];

const HUMAN =
  "(?:human|humans|person|people|agent|representative|rep|advisor|adviser|manager|supervisor|operator|someone|somebody|staff|employee|colleague)";
const HUMAIN =
  "(?:humain|humaine|humains|personne|conseiller|conseillere|conseillers|responsable|superieur|operateur|operatrice|agent|quelqu un|technicien|collegue|interlocuteur)";
const GAP = "(?: \\S+){0,3}?";

const PATTERNS: Readonly<Record<HandOffRule, readonly string[]>> = {
  asks_for_human: [
    `(?:speak|talk|chat|transfer|connect|put|escalate|pass|hand|get|give|find|need|want)${GAP} (?:real |actual |live |human )?${HUMAN}`,
    `(?:real|actual|live) ${HUMAN}`,
    "human (?:being|agent|support|help|please)",
    "(?:not|n't|no) (?:want |like )?(?:a |talk to a |talking to a |to a )?(?:bot|robot|machine|chatbot)",
    `(?:parler|parle|transfere|transferez|passe|passez|mettre|mettez|joindre|contacter|besoin|veux|voudrais|voir|escalader|avoir)${GAP} (?:vrai |vraie |autre )?${HUMAIN}`,
    `(?:vrai|vraie) ${HUMAIN}`,
    "(?:pas|plus) (?:a |avec |d' )?(?:un |une )?(?:robot|bot|machine|chatbot)",
  ],
  legal: [
    "(?:my|our|a|an|your|his|her) (?:lawyer|lawyers|attorney|solicitor|barrister)",
    "(?:sue|suing|lawsuit|subpoena|litigation|legal action|legal advice|small claims|court order|press charges|cease and desist)",
    "(?:take|taking|see|go|going)(?: you| them| this| it)?(?: to)? (?:the )?court",
    "(?:avocat|avocate|huissier|mise en demeure|poursuites|conseil juridique|action en justice|tribunal|prud hommes|assigner en justice)",
    "(?:porter|porte|depose|deposer) plainte",
    "poursuivre en justice",
  ],
  medical: [
    "(?:chest pain|heart attack|overdose|suicidal|suicide|ambulance|medical emergency|anaphylaxis|anaphylactic|seizure|unconscious)",
    "(?:kill|hurt|harm) (?:myself|himself|herself)",
    "(?:ca|can|cannot|not)(?: n't| not)? breathe",
    "(?:bleeding (?:heavily|badly|a lot|out)|wo n't stop bleeding|stopped breathing|having a stroke|swallowed (?:bleach|poison|pills))",
    "(?:crise cardiaque|overdose|suicidaire|suicider|ambulance|urgence medicale|urgences medicales|samu|convulsions|inconscient|inconsciente)",
    "(?:douleur|douleurs|mal)(?: \\S+){0,3}? poitrine",
    "(?:me tuer|me faire du mal|mettre fin a mes jours)",
    "(?:arrive|peux|peut)(?: plus| pas)+(?: a)? respirer",
    "(?:saigne beaucoup|ne respire plus|fait un avc|avale (?:de la|du) (?:javel|poison))",
  ],
  payment_dispute: [
    "(?:chargeback|unauthori[sz]ed (?:charge|payment|transaction|debit|withdrawal)|fraudulent (?:charge|payment|transaction))",
    "(?:dispute|disputing|contest|contesting)(?: \\S+){0,3}? (?:charge|charges|payment|transaction|bill|invoice|debit)",
    "(?:charged|billed|debited)(?: \\S+){0,3}? (?:twice|two times|0 times|without)",
    "(?:did n't|did not|never) (?:authori[sz]e|approve|make)(?: \\S+){0,2}? (?:charge|payment|transaction|purchase)",
    "(?:stole|stolen|took|taken) (?:my |the )?money",
    "(?:conteste|contester|litige)(?: \\S+){0,4}? (?:prelevement|paiement|debit|facture|transaction|operation|achat)",
    "(?:preleve|prelevee|debite|debitee|facture|facturee)(?: \\S+){0,4}? (?:deux fois|0 fois|sans)",
    "(?:prelevement|paiement|debit|achat|transaction|operation) (?:non autorisee?|frauduleuse?|que je n' ai pas)",
    "(?:vole|pris|preleve) (?:de )?(?:mon|l') argent",
  ],
};

const COMPILED = HAND_OFF_RULES.map((rule) => ({
  rule,
  pattern: new RegExp(`(?:^| )(?:${PATTERNS[rule].join("|")})(?= |$)`),
}));

export function firedRules(tokens: readonly string[]): readonly HandOffRule[] {
  const text = tokens.join(" ");
  return COMPILED.filter(({ pattern }) => pattern.test(text)).map(({ rule }) => rule);
}
