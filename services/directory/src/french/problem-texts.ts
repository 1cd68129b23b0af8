/** Titles and explanations of the problems of this service in French. */
import type { ProblemCode } from "@triptych/contracts";
import { withFrenchSpaces } from "@triptych/server";

interface FrenchProblem {
  readonly title: string;
  readonly explanation: string;
}

const PROBLEMS: Partial<Readonly<Record<ProblemCode, FrenchProblem>>> = {
  malformed_request: {
    title: "Requête HTTP mal formée",
    explanation: "La requête n'est pas du HTTP/1.1 valide. Vérifiez le client.",
  },
  misdirected_request: {
    title: "Hôte non autorisé",
    explanation: "L'hôte de la requête n'est pas autorisé. Utilisez l'adresse donnée par l'exploitant.",
  },
  validation_failed: {
    title: "Requête invalide",
    explanation:
      "Chaque erreur figure dans `errors` avec son emplacement. Corrigez-les toutes et renvoyez la requête. Rien n'a été modifié.",
  },
  ambiguous_key: {
    title: "Clés d'API contradictoires",
    explanation: "La requête contient deux clés d'API différentes. Envoyez une seule clé, ou la même clé partout.",
  },
  key_required: {
    title: "Clé d'API requise",
    explanation:
      "Envoyez votre clé avec `Authorization: Bearer <clé>`, `X-API-Key: <clé>` ou `?key=<clé>`. L'exploitant délivre les clés.",
  },
  key_invalid: {
    title: "Clé d'API invalide",
    explanation:
      "Cette clé n'existe pas. Les clés se terminent par une somme de contrôle : vérifiez que vous avez copié la clé entière.",
  },
  key_revoked: {
    title: "Clé d'API révoquée",
    explanation: "L'exploitant a révoqué cette clé. Demandez-lui une nouvelle clé.",
  },
  key_expired: {
    title: "Clé d'API expirée",
    explanation: "La date d'expiration de cette clé est passée. Demandez une nouvelle clé à l'exploitant.",
  },
  plan_required: {
    title: "Absent de votre plan",
    explanation: "Votre plan ne comprend pas cette fonction. Demandez à l'exploitant un plan qui la comprend.",
  },
  not_found: {
    title: "Introuvable",
    explanation: "Rien n'existe à cette adresse. Vérifiez le chemin et ses identifiants.",
  },
  item_not_found: {
    title: "Élément introuvable",
    explanation: "Aucun élément de ce type n'a ce slug. Vérifiez l'adresse.",
  },
  method_not_allowed: {
    title: "Méthode non autorisée",
    explanation: "Ce chemin n'accepte pas cette méthode. L'en-tête `Allow` liste les méthodes acceptées.",
  },
  not_acceptable: {
    title: "Format non disponible",
    explanation: "Ce chemin ne fournit aucun des formats de `Accept`.",
  },
  version_gone: {
    title: "Version non conservée",
    explanation:
      "Les changements sont connus depuis la plus ancienne version conservée, nommée dans `oldest`. Exportez tout à nouveau, puis envoyez la `version` de cet export dans `since`.",
  },
  payload_too_large: {
    title: "Corps trop volumineux",
    explanation: "Le corps de la requête dépasse la limite. Envoyez-en moins.",
  },
  headers_too_large: {
    title: "En-têtes trop volumineux",
    explanation: "Envoyez moins d'en-têtes, ou des en-têtes plus courts.",
  },
  uri_too_long: {
    title: "Adresse trop longue",
    explanation: "L'adresse dépasse 8 Kio. Envoyez moins de paramètres ou des paramètres plus courts.",
  },
  rate_limited: {
    title: "Trop de requêtes",
    explanation: "La limite de requêtes est atteinte. Attendez le nombre de secondes de `Retry-After`.",
  },
  quota_exceeded: {
    title: "Quota épuisé",
    explanation: "Le quota du jour est épuisé. Attendez le nombre de secondes de `Retry-After`.",
  },
  request_timeout: {
    title: "Délai dépassé",
    explanation: "La requête n'est pas arrivée en entier à temps. Renvoyez-la sans pause.",
  },
  not_ready: {
    title: "Service non prêt",
    explanation: "Le service n'est pas encore prêt. Réessayez après `Retry-After` secondes.",
  },
  overloaded: {
    title: "Service surchargé",
    explanation: "Le service a trop de requêtes en cours. Réessayez après `Retry-After` secondes.",
  },
  internal: {
    title: "Erreur interne",
    explanation: "Une erreur inattendue est survenue. Réessayez plus tard, ou communiquez `request_id` à l'exploitant.",
  },
};

/** Null for a problem of other services. */
export function frenchProblem(code: ProblemCode): FrenchProblem | null {
  return PROBLEMS[code] ?? null;
}

/** For pages, whose lines may break, with no-break spaces. */
export function frenchProblemOnPage(code: ProblemCode): FrenchProblem | null {
  return withFrenchSpaces(frenchProblem(code));
}
