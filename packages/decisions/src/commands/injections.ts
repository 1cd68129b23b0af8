/**
 * Detects a text that gives orders to the model behind the product: "ignore previous instructions", imitated system
 * prompts, roles, markup of chat templates and tool calls. Supports English and French; patterns match folded text.
 */
const ALL = "(?:all |any |every |everything |each )?";
const WHOSE = "(?:of )?(?:the |your |my |these |those |this |its |our )?";
const BEFORE =
  "(?:previous |prior |above |earlier |preceding |former |existing |original |current |initial |safety |system )*";
/** Properties of a model. A customer also has orders, policies and limits, so these count only after "your". */
const ORDERS =
  "(?:instructions?|rules?|prompts?|guidelines?|directives?|restrictions?|constraints?|programming|guardrails?)";
const YOURS = "(?:orders?|polic(?:y|ies)|training|limits?|safety|filters?)";
const LES =
  "(?:toutes? |tous |l'ensemble de |chacune de )?(?:tes|vos|les|ces|ses|mes|des|de tes|de vos|aux|a tes|a vos)";
const CONSIGNES = "(?:instructions?|consignes?|regles?|directives?|garde-fous|invites?|prompts?)";
const SET_ASIDE =
  "(?:ignore|ignores|disregard|forget|override|overrule|bypass|circumvent|violate|disobey|neglect|overlook)";
/** These verbs also have an everyday meaning. */
const END = "(?:drop|discard|skip|void|cancel|suspend|break|replace)";

const PATTERNS: readonly string[] = [
  `\\b${SET_ASIDE} ${ALL}${WHOSE}${BEFORE}${ORDERS}\\b`,
  `\\b(?:${SET_ASIDE}|${END}) ${ALL}(?:of )?your ${BEFORE}(?:${ORDERS}|${YOURS})\\b`,
  `\\b${END} ${ALL}(?:of )?(?:the |these )?(?:previous |prior |above |earlier |system )+${ORDERS}\\b`,
  `\\b${SET_ASIDE} (?:all |everything |anything |whatever )+(?:of )?(?:the |that |what |which )?(?:you |i |we )?(?:is |was |were |are |has |have |been )*(?:said |told |written |instructed )*(?:above|before|prior|previous(?:ly)?|so far|earlier)\\b`,
  `\\b(?:do not|don't|stop|no longer) (?:follow|following|obey|obeying|apply|applying) ${ALL}${WHOSE}${BEFORE}${ORDERS}\\b`,
  `\\byour ${BEFORE}(?:${ORDERS}|${YOURS}) (?:are|is|no longer|do not|don't) ?(?:now |hereby |no longer |not )*(?:void|invalid|cancelled|canceled|suspended|lifted|apply|disabled|off|obsolete|replaced)\\b`,
  `\\b(?:new|updated|revised|hidden|secret) (?:system )?(?:instructions?|directives?|orders)\\s*(?::|follow|from)`,
  "\\byou are (?:now |from now on )(?:a |an |free|unrestricted|dan\\b|root|no longer|in \\w+ mode|the (?:admin|root|system|owner))",
  "\\b(?:act|behave|respond|answer|pretend|operate) (?:now )?(?:as|like|to be)(?: if you (?:were|are))? (?:a |an |the |my )?(?:dan|root|admin|administrator|system|unrestricted|unfiltered|jailbroken|developer|evil|different ai|another ai)\\b",
  "\\b(?:developer|dev|god|debug|admin|root|sudo|maintenance|jailbreak|dan|unrestricted) mode (?:is |now |on|enabled|activated|active)",
  "\\b(?:enable|activate|enter|switch to|turn on) (?:the )?(?:developer|god|debug|admin|root|jailbreak|dan|unrestricted) mode\\b",
  "\\bfrom now on,? (?:you (?:are|will|must|shall|obey|execute|have|can|should|only|act)|ignore|obey|execute)\\b",
  "\\b(?:reveal|print|show|repeat|output|leak) (?:me )?(?:your|the) (?:system|hidden|initial|secret) (?:prompt|instructions?|message)\\b",
  "\\b(?:begin|start|end|fin|debut)(?: of| du| de la)? (?:the )?(?:system|new|prompt|nouvelles?)[ _]?(?:prompt|instructions?|override|message|consignes?|systeme)\\b",
  "\\bthis is (?:a |an |the |your )?(?:admin|administrator|system|developer|root|official|urgent system)(?:'s)? (?:message|notice|override|command|instruction|speaking)\\b",
  "\\bas your (?:developer|creator|admin|administrator|owner|programmer|operator|maker)s?,? (?:i|we)\\b",
  // Bounded, because with an unlimited number of blanks a text of blanks took half a second.
  "(?:^|[\\n.!?]\\s{0,8}|\\s{2})(?:\\W{0,4})(?:system|systeme|sysadmin|root|admin|developer)(?: (?:prompt|message|override|note|update|command))?\\s?(?:\\W{0,3}):(?!//)",
  "\\[/?(?:system|inst|systeme|admin|sys)\\b[^\\]]{0,40}\\]",
  "</?(?:system|systeme|user|assistant|instructions?|inst|prompt|tool_call|tool|function_calls?|invoke|admin)\\b[^>]{0,60}>",
  "<\\|[a-z_]{2,24}\\|>",
  "<!--[\\s\\S]{0,400}?-->",
  "(?:^|\\s)#{2,6} ?(?:system|instructions?|systeme|consignes?|nouvelles? (?:consignes?|instructions?)|new instructions?|override|admin)\\b",
  "[\"']?(?:tool|name|function|action|tool_name|recipient_name)[\"']?\\s*:\\s*[\"'][\\w.-]+[\"']\\s*,\\s*[\"']?(?:arguments|parameters|params|args|input|tool_input|action_input)[\"']?\\s*:",
  "\\b(?:function_call|tool_call|tool_use|action)\\s*[:=]\\s*[\\w.]+\\s*\\(",
  `\\b(?:ignore[zr]?|oublie[zr]?|neglige[zr]?|contourne[zr]?|ecarte[zr]?|viole[zr]?|enfrein[st]|desobei[st]?) ${LES} ${CONSIGNES}\\b`,
  `\\b(?:ignore[zr]?|oublie[zr]?|neglige[zr]?) (?:tout )?(?:ce qui (?:precede|a ete dit|est (?:ecrit )?(?:au-dessus|avant|plus haut|ci-dessus))|ce que (?:je|j'|on|tu|vous)[\\s\\S]{0,20}(?:avant|precedemment|plus haut))`,
  `\\b(?:ne (?:tiens|tenez|suis|suivez|respecte|respectez|tenir|suivre)(?: surtout)? (?:pas|plus)|sans tenir|fais|faites|faisons) (?:compte |abstraction )?(?:de |d')?${LES} ${CONSIGNES}\\b`,
  `\\b(?:remplace[rz]?|modifie[rz]?|suspend[sz]?|leve[rz]?|change[rz]?|annule[rz]?) (?:toutes )?(?:tes|vos) (?:${CONSIGNES}|limites|restrictions?|ordres?|filtres?)\\b`,
  `\\b(?:toutes )?(?:tes|vos) ${CONSIGNES}(?: precedentes| anterieures| actuelles)? (?:ne (?:valent|s'appliquent|comptent|tiennent)|sont (?:annulees?|levees?|suspendues?|caduques|desactivees?|remplacees?))`,
  `\\b(?:nouvelles?|vraies?|veritables?) (?:instructions?|consignes?|directives?)\\s*(?::|suivent|du|de)`,
  "\\b(?:tu es|vous etes|tu deviens) (?:maintenant|desormais|a present|dorenavant) (?:une?|en mode|libre|sans|le|la|mon|ma|dan|root|admin)\\b",
  "\\bdesormais,? (?:tu|vous) (?:es|etes|obei[st]|dois|devez|executes?)\\b",
  "\\ba partir de maintenant,? (?:tu|vous)\\b",
  "\\btu n'as plus (?:de|aucune?|d') ?(?:limites?|regles?|restrictions?|consignes?|filtres?)\\b",
  "\\bmode (?:developpeur|administrateur|debug|dieu|sans (?:limites?|filtre|restriction))\\b(?: (?:active|est|maintenant)|[\\s\\S]{0,4}[:!])",
  "\\b(?:ceci est un|voici un) (?:message|ordre|avis) (?:de l'admin|du systeme|systeme|administrateur|de l'administrateur|du developpeur)",
  "\\ben tant que? (?:ton |votre )(?:developpeur|administrateur|createur|admin|systeme|proprietaire|root),? (?:je|j')",
];
const INJECTION = new RegExp(PATTERNS.join("|"), "m");

/** The sign, or null. `folded`: by foldSameLength. */
export function findInjection(folded: string): { readonly from: number; readonly until: number } | null {
  const found = INJECTION.exec(folded);
  return found === null ? null : { from: found.index, until: found.index + found[0].length };
}
