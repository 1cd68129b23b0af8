/** What to do about a problem, by status. The explanation of a code has the details. */
import { withFrenchSpaces, type Language } from "./page-texts.ts";

const REMEDIES: Readonly<Record<number, Readonly<Record<Language, string>>>> = {
  400: {
    en: "Correct the request as described and send it again. The same request would fail again. Nothing was changed or charged.",
    fr: "Corrigez la requête comme indiqué, puis renvoyez-la. La même requête échouerait à nouveau. Rien n'a été modifié ni facturé.",
  },
  401: {
    en: "Send a valid credential, or request one from the operator. Do not retry with the same credential: failed attempts are counted.",
    fr: "Envoyez une clé valide, ou demandez-en une à l'exploitant. Ne réessayez pas avec la même : les échecs sont comptés.",
  },
  402: {
    en: "Follow `pay` in the response, which contains the request for the payment rail. After payment, the same request is accepted.",
    fr: "Suivez `pay` dans la réponse, qui contient la requête à envoyer au service de paiement. Après le paiement, la même requête est acceptée.",
  },
  403: {
    en: "The credential is valid but does not grant this permission. Use another credential, or contact the operator. Nothing was changed.",
    fr: "La clé est valide, mais ne donne pas ce droit. Utilisez-en une autre ou contactez l'exploitant. Rien n'a été modifié.",
  },
  404: {
    en: "Check the URL and its IDs. Objects that belong to other accounts are not found either.",
    fr: "Vérifiez l'adresse et ses identifiants.",
  },
  405: {
    en: "Use one of the methods in the `Allow` header.",
    fr: "Utilisez l'une des méthodes de l'en-tête `Allow`.",
  },
  408: {
    en: "Send the whole request without a pause.",
    fr: "Envoyez la requête entière sans pause.",
  },
  409: {
    en: "The state of an object conflicts with the request. Read the object named in the response, then decide how to proceed.",
    fr: "L'état d'un objet est incompatible avec la requête. Relisez l'objet nommé dans la réponse, puis décidez.",
  },
  421: {
    en: "Use the address that the operator gave you. The operator can allow other hosts with the variable named in `detail`.",
    fr: "Utilisez l'adresse donnée par l'exploitant. Il autorise d'autres hôtes avec la variable nommée dans `detail`.",
  },
  422: {
    en: "Use a new idempotency key for a new request, or retry the first request unchanged.",
    fr: "Utilisez une nouvelle clé d'idempotence pour une nouvelle requête, ou renvoyez la première sans la modifier.",
  },
  429: {
    en: "Wait for the number of seconds in the `Retry-After` header, then retry. Nothing was changed.",
    fr: "Attendez le nombre de secondes de l'en-tête `Retry-After`, puis réessayez. Rien n'a été modifié.",
  },
  500: {
    en: "Retry later. If the error persists, send the `request_id` to the operator, who can find the cause in the log.",
    fr: "Réessayez plus tard. Si l'erreur persiste, envoyez le `request_id` à l'exploitant : il trouvera la cause dans le journal.",
  },
  502: {
    en: "A service behind this one failed. Retry after `Retry-After` seconds with the same idempotency key.",
    fr: "Un service en amont a échoué. Réessayez après `Retry-After` secondes, avec la même clé d'idempotence.",
  },
  503: {
    en: "Retry after `Retry-After` seconds with the same idempotency key.",
    fr: "Réessayez après `Retry-After` secondes.",
  },
};
const OTHERWISE: Readonly<Record<Language, string>> = {
  en: "Correct the request as described and send it again. Nothing was changed.",
  fr: "Corrigez la requête comme indiqué, puis renvoyez-la. Rien n'a été modifié.",
};

export function remedyOf(status: number, language: Language): string {
  const text = (REMEDIES[status] ?? OTHERWISE)[language];
  return language === "fr" ? withFrenchSpaces(text) : text;
}
