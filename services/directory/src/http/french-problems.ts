/**
 * Problems in French: every sentence of `detail` and `errors[].message`. `{}` stands for a value, which stays as it is.
 * Codes, reasons, paths and values are not translated.
 */
import { problems, type ProblemBody } from "@triptych/contracts";
import type { FastifyRequest } from "fastify";
import { frenchProblem } from "../french/problem-texts.ts";
import { programLanguageOf } from "./formats.ts";

/** English sentence and its French form; longer ones first where one contains the other. */
const SENTENCES: readonly (readonly [english: string, french: string])[] = [
  ["The request has one issue, listed in `errors`.", "La requête contient une erreur, indiquée dans `errors`."],
  [
    "The request has {} issues, all listed in `errors`.",
    "La requête contient {} erreurs, toutes indiquées dans `errors`.",
  ],
  [
    "The first {} issues are listed in `errors`; there may be more.",
    "Les {} premières erreurs figurent dans `errors` ; il peut y en avoir d'autres.",
  ],
  [
    "The key has sent {} requests in the last 60 seconds. Wait {} s.",
    "La clé a envoyé {} requêtes dans les 60 dernières secondes. Attendez {} s.",
  ],
  [
    "The key has used its daily quota of items. The quota resets at midnight UTC.",
    "La clé a épuisé son quota d'éléments du jour. Le quota est rétabli à minuit UTC.",
  ],
  ["No {} has this slug. Did you mean {}?", "Aucun élément de type {} n'a ce slug. Vouliez-vous dire {} ?"],
  ["No {} has this slug.", "Aucun élément de type {} n'a ce slug."],
  [
    "Searching around a point or in a box requires the Pro plan.",
    "La recherche autour d'un point ou dans un rectangle nécessite le plan Pro.",
  ],
  ["These fields require the Pro plan: {}.", "Ces champs nécessitent le plan Pro : {}."],
  ["Exporting every match requires the Pro plan.", "L'export de tous les résultats nécessite le plan Pro."],
  [
    "Version {} is not stored. The oldest stored version is {}, published {}. Export everything again.",
    "La version {} n'est pas conservée. La plus ancienne est {}, publiée le {}. Exportez tout à nouveau.",
  ],
  [
    "The version of {} is not stored. The oldest stored version is {}, published {}. Export everything again.",
    "La version du {} n'est pas conservée. La plus ancienne est {}, publiée le {}. Exportez tout à nouveau.",
  ],
  ["This path can return {}.", "Ce chemin peut fournir {}."],
  ["This path allows {}.", "Ce chemin accepte {}."],
  ["HTTP/1.1 requires a `Host` header.", "HTTP/1.1 exige un en-tête `Host`."],
  [
    "The URL contains characters that must be percent-encoded, such as é as %C3%A9. With curl: -G --data-urlencode 'q=bibliothèque'.",
    "L'adresse contient des caractères à encoder, comme é en %C3%A9. Avec curl : -G --data-urlencode 'q=bibliothèque'.",
  ],
  ["The body exceeds the limit of {} bytes for this path.", "Le corps dépasse la limite de {} octets pour ce chemin."],
  ["The store is unavailable.", "Le stockage est indisponible."],
  ["The first version of the data is not open yet.", "La première version des données n'est pas encore ouverte."],
  ["`{}` is missing.", "`{}` est absent."],
  ["`{}` may appear only once.", "`{}` ne peut apparaître qu'une fois."],
  ["`{}` is empty. Omit it, or remove the empty entry.", "`{}` est vide. Retirez le paramètre, ou l'entrée vide."],
  ["`{}` is empty. Set a value or omit it.", "`{}` est vide. Donnez une valeur ou retirez le paramètre."],
  ["`{}` contains U+0000.", "`{}` contient U+0000."],
  [
    "`{}` is not percent-encoded UTF-8: encode é as %C3%A9, and a single % as %25.",
    "`{}` n'est pas de l'UTF-8 encodé : encodez é en %C3%A9, et % en %25.",
  ],
  ["`{}` has an invalid format: {}; write it as in {}.", "`{}` n'a pas la bonne forme : {} ; écrivez par exemple {}."],
  ["Unknown `{}`: {}.", "`{}` inconnu : {}."],
  ["`{}` must be one of {}.", "`{}` doit être l'une des valeurs {}."],
  ["`{}` must be a whole number from {} to {} or `{}`.", "`{}` doit être un nombre entier de {} à {}, ou `{}`."],
  ["`{}` must be a whole number from {} to {}.", "`{}` doit être un nombre entier de {} à {}."],
  ["`{}` must be a number above {} to {}.", "`{}` doit être un nombre supérieur à {}, au plus {}."],
  ["`{}` must be a number from {} to {}.", "`{}` doit être un nombre de {} à {}."],
  ["`{}` must have at most {} characters.", "`{}` ne doit pas dépasser {} caractères."],
  ["`{}` must have at most {} values.", "`{}` ne doit pas dépasser {} valeurs."],
  ["`{}` must be boolean: true or false.", "`{}` doit être true ou false."],
  ["`{}` must be a valid date.", "`{}` doit être une date valide."],
  ["Unknown parameter `{}`. Did you mean `{}`?", "Paramètre `{}` inconnu. Vouliez-vous dire `{}` ?"],
  ["Unknown parameter `{}`.", "Paramètre `{}` inconnu."],
  ["Unknown `{}`: {}. Did you mean {}?", "`{}` inconnu : {}. Vouliez-vous dire {} ?"],
  ["Unknown `{}`: {}. /api/meta lists them all.", "`{}` inconnu : {}. /api/meta en donne la liste."],
  [
    "Unknown `{}`: {}. No item has it; `{}` lists the most frequent values.",
    "`{}` inconnu : {}. Aucun élément ne l'a ; `{}` donne les valeurs les plus fréquentes.",
  ],
  [
    "`bbox` must be four decimal numbers, west,south,east,north: longitudes from -180 to 180, latitudes from -90 to 90, as in {}.",
    "`bbox` doit être quatre nombres décimaux, ouest,sud,est,nord : longitudes de -180 à 180, latitudes de -90 à 90, comme {}.",
  ],
  [
    "`bbox` is west,south,east,north, longitude first: this box is outside France. Did you mean bbox={}?",
    "`bbox` est ouest,sud,est,nord, la longitude d'abord : ce rectangle est hors de France. Vouliez-vous dire bbox={} ?",
  ],
  [
    "`bbox` is west,south,east,north, and south ({}) is above north ({}). Did you mean bbox={}?",
    "`bbox` est ouest,sud,est,nord, et le sud ({}) est au-dessus du nord ({}). Vouliez-vous dire bbox={} ?",
  ],
  [
    "`{}` cannot be combined with `ids`, which lists its items itself; remove one of them.",
    "`{}` ne se combine pas avec `ids`, qui liste ses éléments ; retirez l'un des deux.",
  ],
  ["`tag` accepts at most {} tags in total.", "`tag` accepte au plus {} thèmes en tout."],
  [
    "`-` must be followed by the {} to exclude, as in {}.",
    "`-` doit être suivi de la valeur à exclure, comme dans {1}.",
  ],
  [
    "`limit=all` streams every match; use it with format=csv, ndjson or geojson.",
    "`limit=all` envoie tous les résultats ; utilisez-le avec format=csv, ndjson ou geojson.",
  ],
  [
    "`since` must be the `version` of a response, as in {}, or an RFC 3339 time, as in {}.",
    "`since` doit être la `version` d'une réponse, comme {}, ou une date RFC 3339, comme {}.",
  ],
  ["`q` must contain a letter or a digit.", "`q` doit contenir une lettre ou un chiffre."],
  ["`{}` requires a point; add `near=lat,lon`.", "`{}` nécessite un point ; ajoutez `near=lat,lon`."],
  ["`{}` requires a search text; add `q`.", "`{}` nécessite un texte de recherche ; ajoutez `q`."],
  ["`highlights` requires `highlight=true`.", "`highlights` nécessite `highlight=true`."],
  [
    "`highlight=true` requires format=json, geojson or ndjson.",
    "`highlight=true` nécessite format=json, geojson ou ndjson.",
  ],
  [
    "`near` must be two decimal numbers, lat,lon, not lon,lat: latitude from -90 to 90, then longitude from -180 to 180, as in {}.",
    "`near` doit être deux nombres décimaux, lat,lon et non lon,lat : latitude de -90 à 90, puis longitude de -180 à 180, comme {}.",
  ],
  [
    "`near` is lat,lon, not lon,lat: this point is outside France. Did you mean near={}?",
    "`near` est lat,lon et non lon,lat : ce point est hors de France. Vouliez-vous dire near={} ?",
  ],
  ["`from` must not be after today, {} (UTC).", "`from` ne doit pas être après aujourd'hui, {} (UTC)."],
  ["`to` is the last day and must not be before {}.", "`to` est le dernier jour et ne doit pas précéder {}."],
  ["The period must not exceed {} days.", "La période ne doit pas dépasser {} jours."],
];

const FORMS = SENTENCES.map(([english, french]) => ({ pattern: patternOf(english), french }));

function patternOf(english: string): RegExp {
  const literal = english.split("{}").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literal.join("(.*?)")}$`, "s");
}

/** Null for a sentence without a French form. */
export function frenchSentence(text: string): string | null {
  for (const { pattern, french } of FORMS) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const [, ...values] = match;
    let next = 0;
    return french.replaceAll(/\{(\d?)\}/g, (_, at: string) => values[at === "" ? next++ : Number(at)] ?? "");
  }
  return null;
}

export function localizeProblem(body: ProblemBody, request: FastifyRequest) {
  const language = programLanguageOf(request);
  return { language, body: language === "fr" ? inFrench(body) : body };
}

function inFrench(body: ProblemBody): ProblemBody {
  const french = frenchProblem(body.code);
  const isExplanation = body.detail === problems[body.code].explanation;
  const detail = (isExplanation ? french?.explanation : frenchSentence(body.detail)) ?? body.detail;
  const errors = body.errors?.map((issue) => ({ ...issue, message: frenchSentence(issue.message) ?? issue.message }));
  return { ...body, title: french?.title ?? body.title, detail, ...(errors && { errors }) };
}
