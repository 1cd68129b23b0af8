/**
 * Texts of the panel in French: problems and hints. `{}` stands for a value, which stays as it is. The panel writes
 * English; other texts, such as those of a Git host, have no French form.
 */
export const SENTENCES: readonly (readonly [english: string, french: string])[] = [
  // Titles of problems.
  ["Authentication required", "Authentification requise"],
  ["Too many requests", "Trop de requêtes"],
  ["Store unavailable", "Stockage indisponible"],
  ["Validation failed", "Requête invalide"],
  ["Insufficient token scope", "Portée du jeton insuffisante"],
  ["Cross-site request rejected", "Requête d'un autre site refusée"],
  ["Account suspended", "Compte suspendu"],
  ["Invalid JSON", "JSON invalide"],
  ["Payload too large", "Contenu trop volumineux"],
  ["Unsupported media type", "Type de contenu non pris en charge"],
  ["Not found", "Introuvable"],
  ["Quota exceeded", "Quota dépassé"],
  ["Idempotency key reused", "Clé d'idempotence réutilisée"],
  ["Local repositories not allowed", "Dépôts locaux non autorisés"],
  ["Isolation level too low", "Niveau d'isolation trop bas"],
  ["Repository already exists", "Le dépôt existe déjà"],
  ["Forbidden by the project", "Interdit par le projet"],
  ["Modified since last read", "Modifié depuis la dernière lecture"],
  ["Run cannot be cancelled", "Le run ne peut pas être annulé"],
  ["Run cannot be retried", "Le run ne peut pas être relancé"],
  ["Run already active", "Run déjà en cours"],
  ["Not in your plan", "Non inclus dans votre plan"],
  ["Explore run already active", "Exploration déjà en cours"],
  ["Candidate not proposed", "Candidat non proposé"],
  ["Candidate rejected", "Candidat rejeté"],
  ["Candidate out of date", "Candidat périmé"],
  ["Repository paused", "Dépôt en pause"],
  ["Repository unreachable", "Dépôt inaccessible"],
  ["Run cannot be followed up", "Le run ne peut pas avoir de suite"],
  ["Not acceptable", "Format non disponible"],
  ["No worker connected", "Aucun worker connecté"],
  ["Git host error", "Erreur de l'hébergeur Git"],
  ["Lease lost", "Bail perdu"],
  ["Run not pushed", "Run non poussé"],
  ["Pull requests not supported", "Pull requests non prises en charge"],
  ["Pull request closed", "Pull request fermée"],
  ["Duplicate pull request", "Pull request en double"],
  ["Branch not found", "Branche introuvable"],
  ["Branch moved", "Branche déplacée"],
  ["Already in progress", "Déjà en cours"],
  ["Malformed HTTP request", "Requête HTTP mal formée"],
  ["Internal error", "Erreur interne"],

  // Explanations and details of problems, for what a person does on a screen.
  [
    "Send `Authorization: Bearer pnl_…` with an access token, or sign in with POST /api/auth/login. An invalid, revoked or expired token or password gets the same response.",
    "L'adresse e-mail et le mot de passe ne correspondent pas, ou le lien a expiré ou déjà servi.",
  ],
  [
    "Too many failed sign-in attempts within 15 minutes. Wait for the seconds in `Retry-After`; until then, even the correct password is rejected.",
    "Trop de tentatives de connexion en 15 minutes. D'ici là, même le bon mot de passe est refusé.",
  ],
  [
    "Too many sign-in requests from this address within a minute. Retry in {} s.",
    "Trop de connexions depuis cette adresse en une minute. Réessayez dans {} s.",
  ],
  [
    "The request limit of the last minute, or of the period in `detail`, is reached. Wait for `Retry-After` seconds; the next request is then accepted.",
    "La limite de requêtes de la dernière minute est atteinte.",
  ],
  [
    "The store is overloaded or unreachable. Nothing was changed. Try again after `Retry-After` seconds.",
    "Le stockage est surchargé ou inaccessible. Rien n'a été modifié.",
  ],
  ["The request has one issue, listed in `errors`.", "La requête contient une erreur."],
  ["The request has {} issues, all listed in `errors`.", "La requête contient {} erreurs."],
  ["The access token does not have the scope {}.", "Le jeton d'accès n'a pas la portée {}."],
  [
    "A suspended account is read-only. Contact the operator.",
    "Un compte suspendu est en lecture seule. Contactez l'exploitant.",
  ],
  ["Send a smaller body. Nothing was changed.", "Envoyez un contenu plus petit. Rien n'a été modifié."],
  ["No such {}.", "Cet objet n'existe pas, ou n'existe plus."],
  [
    "The plan allows {}, and {} are in use. The {} plan allows more.",
    "Le plan en permet {}, et {} sont utilisés. Le plan {} en permet davantage.",
  ],
  [
    "The plan allows {}, and {} are in use. Try again after `Retry-After` seconds.",
    "Le plan en permet {}, et {} sont utilisés.",
  ],
  ["{} requires the {} plan; this account has the {} plan.", "{} nécessite le plan {} ; ce compte a le plan {}."],
  [
    "Use an http(s) or ssh address, or have the operator start the panel with PANEL_ALLOW_LOCAL_REPOS=1.",
    "Utilisez une adresse http(s) ou ssh, ou demandez à l'exploitant de démarrer le panel avec PANEL_ALLOW_LOCAL_REPOS=1.",
  ],
  [
    "Set `isolation.level_required` to `minimum` or higher. The operator sets the minimum with PANEL_ISOLATION_MIN.",
    "Choisissez un niveau d'isolation plus élevé. L'exploitant fixe le minimum avec PANEL_ISOLATION_MIN.",
  ],
  ["This account already has the repository as {}.", "Ce compte a déjà ce dépôt : {}."],
  [
    "The project does not accept contributions made with AI. {}",
    "Le projet n'accepte pas les contributions faites avec une IA. {}",
  ],
  [
    "The project requires a person. Name one in `pr.reviewers`. {}",
    "Le projet exige une personne. Nommez-en une parmi les relecteurs. {}",
  ],
  [
    "The repository was changed since you read it and is now at revision {}. Read it again and repeat your change.",
    "Le dépôt a été modifié depuis votre lecture : il est à la révision {}. Relisez-le et refaites votre modification.",
  ],
  [
    "Run {} has the same focus and is {}. Wait for it, cancel it, or send `parallel: true`.",
    "Le run {} a la même consigne et son état est {}. Attendez sa fin, ou annulez-le.",
  ],
  [
    "Explore run {} is {}. Wait for it, or cancel it.",
    "L'état de l'exploration {} est {}. Attendez sa fin, ou annulez-la.",
  ],
  ["The run is {} and cannot be cancelled.", "L'état du run est {} : il ne peut pas être annulé."],
  [
    "The run is {}. Only a run that is pushed can get a pull request.",
    "L'état du run est {}. Seul un run poussé peut avoir une pull request.",
  ],
  [
    "The run is {}. Only failed, cancelled, lost and expired runs can be retried.",
    "L'état du run est {}. Seuls les runs échoués, annulés, perdus ou expirés peuvent être relancés.",
  ],
  [
    "Run {} is {} and has no open pull request to follow up.",
    "L'état du run {} est {} : il n'a pas de pull request ouverte à suivre.",
  ],
  [
    "Run {} already repairs this pull request. Wait for it, or cancel it.",
    "Le run {} répare déjà cette pull request. Attendez sa fin, ou annulez-le.",
  ],
  [
    "The candidate is {} by run {}. Only proposed candidates can be run or rejected.",
    "L'état du candidat est {} (run {}). Seuls les candidats proposés peuvent être lancés ou rejetés.",
  ],
  [
    "The candidate is {}. Only proposed candidates can be run or rejected.",
    "L'état du candidat est {}. Seuls les candidats proposés peuvent être lancés ou rejetés.",
  ],
  [
    "A rejected candidate cannot be run. Start a run with its focus and gate instead.",
    "Un candidat rejeté ne peut pas être lancé. Lancez plutôt un run avec sa consigne et sa gate.",
  ],
  [
    "The evidence is no longer in the repository, and the gate was not run again. Explore again: POST /api/repos/{}/explore.",
    "Les preuves ne sont plus dans le dépôt, et la gate n'a pas été relancée. Explorez de nouveau.",
  ],
  ["Set its `status` to `active` first.", "Réactivez d'abord le dépôt."],
  [
    "The repository is unreachable: {}. The panel retries every 10 minutes.",
    "Le dépôt est inaccessible : {}. Le panel réessaie toutes les 10 minutes.",
  ],
  [
    "The repository is unreachable. The panel retries every 10 minutes.",
    "Le dépôt est inaccessible. Le panel réessaie toutes les 10 minutes.",
  ],
  ["The repository is empty: it has no branch to start from.", "Le dépôt est vide : il n'a aucune branche de départ."],
  [
    "Start one with `triptych worker --panel <address>` and the license key in `PANEL_TOKEN`, then try again.",
    "Démarrez-en un avec `triptych worker --panel <adresse>` et la clé de licence dans `PANEL_TOKEN`, puis réessayez.",
  ],
  [
    "The Git host did not respond, or responded with an error. Try again, after `Retry-After` seconds if that header is present.",
    "L'hébergeur Git n'a pas répondu, ou a répondu par une erreur. Réessayez.",
  ],
  [
    "The provider is plain git, which has no pull requests. The change is on branch {}.",
    "L'hébergement est en Git seul, sans pull requests. La modification est sur la branche {}.",
  ],
  [
    "The pull request was merged or closed. Reopen an unmerged pull request with `reopen: true`.",
    "La pull request a été fusionnée ou fermée.",
  ],
  [
    "Another run of this repository has an open pull request with the same change.",
    "Un autre run de ce dépôt a une pull request ouverte avec la même modification.",
  ],
  [
    "The branch was deleted on the Git host, and the bundle of the run has expired. Start the run again.",
    "La branche a été supprimée chez l'hébergeur Git, et le bundle du run a expiré. Relancez le run.",
  ],
  [
    "Someone else pushed to the branch of the run. Nothing was overwritten.",
    "Quelqu'un d'autre a poussé sur la branche du run. Rien n'a été écrasé.",
  ],
  [
    "An identical request is in progress. Try again after `Retry-After` seconds.",
    "Une requête identique est en cours.",
  ],

  // Issues of fields.
  ["`{}` is missing.", "`{}` est absent."],
  ["`{}` is empty.", "`{}` est vide."],
  ["`{}` must not be empty.", "`{}` ne doit pas être vide."],
  ["`{}` must have at least {} characters.", "`{}` doit avoir au moins {} caractères."],
  ["`{}` must have at most {} characters.", "`{}` doit avoir au plus {} caractères."],
  ["`{}` must have at least {} entries.", "`{}` doit avoir au moins {} entrées."],
  ["`{}` must have at most {} entries.", "`{}` doit avoir au plus {} entrées."],
  ["`{}` must not contain duplicates.", "`{}` ne doit pas contenir de doublons."],
  ["`{}` must contain more than white space.", "`{}` ne doit pas contenir que des espaces."],
  ["`{}` has an invalid format.", "`{}` a un format invalide."],
  [
    "`cron` is required for an enabled schedule, for example `0 3 * * 1`.",
    "`cron` est requis pour une planification active, par exemple `0 3 * * 1`.",
  ],
  ["A team needs a member with the `role` coder.", "Une équipe a besoin d'un membre dont le rôle est codeur."],
  [
    "The repository has no AI policy, so there is nothing to override.",
    "Le dépôt n'a pas de politique d'IA : il n'y a rien à lever.",
  ],

  // What a run would wait for.
  [
    "Connect a worker: the workers page of the dashboard shows the commands.",
    "Connectez un worker : la page Workers montre les commandes.",
  ],
  [
    "Install a coding CLI on a worker's machine (`triptych worker doctor` lists detected CLIs), or set `team.members` to an agent that a worker has.",
    "Installez une CLI de code sur la machine d'un worker (`triptych worker doctor` liste celles qu'il trouve), ou choisissez pour l'équipe un agent qu'un worker possède.",
  ],
  [
    "Connect a worker: every worker supports level `none`.",
    "Connectez un worker : tous prennent en charge le niveau `none`.",
  ],
  ["Start a worker with `--isolation worktree` or higher.", "Démarrez un worker avec `--isolation worktree` ou plus."],
  [
    "No connected worker has a sandbox. Install bubblewrap on a worker's machine (`triptych worker doctor` lists what is missing), or set `isolation.level_required` to `worktree`, where only file permissions protect the machine.",
    "Aucun worker connecté n'a de sandbox. Installez bubblewrap sur la machine d'un worker (`triptych worker doctor` liste ce qui manque), ou choisissez le niveau d'isolation `worktree`, où seuls les droits sur les fichiers protègent la machine.",
  ],
  [
    "No connected worker has a sandbox. Install bubblewrap on a worker's machine (`triptych worker doctor` lists what is missing).",
    "Aucun worker connecté n'a de sandbox. Installez bubblewrap sur la machine d'un worker (`triptych worker doctor` liste ce qui manque).",
  ],
  [
    "Start a worker with `--image <reference>`, or set `isolation.level_required` to `sandbox`.",
    "Démarrez un worker avec `--image <référence>`, ou choisissez le niveau d'isolation `sandbox`.",
  ],
  ["Start a worker with `--image <reference>`.", "Démarrez un worker avec `--image <référence>`."],
];

const FORMS = SENTENCES.map(([english, french]) => ({ pattern: patternOf(english), french }));

function patternOf(english: string): RegExp {
  const literal = english.split("{}").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literal.join("(.*?)")}$`, "s");
}

/** Null for a text without a French form. */
export function frenchPanelText(text: string): string | null {
  for (const { pattern, french } of FORMS) {
    const [found, ...values] = pattern.exec(text) ?? [];
    if (found !== undefined) return french.replaceAll("{}", () => values.shift() ?? "");
  }
  return null;
}
