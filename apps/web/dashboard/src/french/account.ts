/** The overview, workers, and the account. */
import type { Catalogue } from "../i18n.ts";

export const ACCOUNT: Catalogue = {
  "First steps": "Premiers pas",
  "The repository to maintain. With a token that can push, runs open pull requests.":
    "Le dépôt à maintenir. Avec un jeton qui permet le push, les runs ouvrent des pull requests.",
  "Connect a worker": "Connecter un worker",
  "No worker is connected. Runs wait until one connects.":
    "Aucun worker n'est connecté. Les runs attendent qu'un worker se connecte.",
  "Start a run": "Lancer un run",
  "Explore finds work and needs no coding agent. Then run a candidate, or start your own run.":
    "L'exploration trouve du travail sans agent de code. Lancez ensuite un candidat, ou votre propre run.",
  "step|done": "fait",
  "to do": "à faire",
  "No runs in progress.": "Aucun run en cours.",
  "Runs in progress": "Runs en cours",
  "Recent runs": "Runs récents",
  "Ended runs": "Runs terminés",
  "No run has ended yet.": "Aucun run terminé pour l'instant.",
  "Start a run from a repository": "Lancer un run depuis un dépôt",
  "Nothing needs your attention.": "Rien à traiter.",
  "No worker": "Aucun worker",
  "Worker <b>{name}</b> is not connected": "Le worker <b>{name}</b> n'est pas connecté",
  "Worker <b>{name}</b> is degraded": "Le worker <b>{name}</b> est dégradé",
  Unreachable: "Inaccessible",
  "Review candidates": "Candidats à examiner",
  "{count} candidate to review": ["{count} candidat à examiner", "{count} candidats à examiner"],
  "Review memory": "Mémoires à examiner",
  "{count} memory to review": ["{count} mémoire à examiner", "{count} mémoires à examiner"],

  online: "en ligne",
  degraded: "dégradé",
  stale: "sans nouvelles",
  offline: "hors ligne",
  disabled: "désactivé",
  "No sandbox.": "Pas de sandbox.",
  "Commands run with the permissions of the worker's user, and the network policy is not enforced. Run triptych worker doctor on its machine to see what is missing.":
    "Les commandes tournent avec les droits de l'utilisateur du worker, et la règle de réseau n'est pas appliquée. Lancez triptych worker doctor sur sa machine pour voir ce qui manque.",
  "Isolation below the operator's minimum.": "Isolation sous le minimum de l'exploitant.",
  "This worker gets no runs. Start it with a higher --isolation.":
    "Ce worker ne reçoit aucun run. Démarrez-le avec une valeur plus haute de --isolation.",
  "No worker has connected yet. Runs wait until one connects.":
    "Aucun worker ne s'est encore connecté. Les runs attendent qu'un worker se connecte.",
  "Connect another worker": "Connecter un autre worker",
  "On the machine that runs the work: Node.js 22.19 or newer, and git. Runs need a coding CLI in <code>PATH</code> with its API key, such as <code>codex</code> and <code>OPENAI_API_KEY</code>; Explore needs none. Isolation <code>sandbox</code> needs <code>bwrap</code> (bubblewrap).":
    "Sur la machine qui fait le travail : Node.js 22.19 ou plus récent, et git. Les runs demandent un agent en ligne de commande dans <code>PATH</code> avec sa clé d'API, par exemple <code>codex</code> et <code>OPENAI_API_KEY</code> ; l'exploration n'en demande pas. L'isolation <code>sandbox</code> demande <code>bwrap</code> (bubblewrap).",
  "Paste the command. It asks for the license key of <account>your account</account>, and starts the worker.":
    "Collez la commande. Elle demande la clé de licence de <account>votre compte</account> et démarre le worker.",
  "SHA-256 of the worker, which the command verifies and prints: <code>{digest}</code>":
    "SHA-256 du worker, que la commande vérifie et affiche : <code>{digest}</code>",
  "This panel cannot offer the worker as a download. Clone the Triptych repository on that machine instead, install it with <code>npm ci</code>, and save the license key in the file <code>panel-token</code> with mode 0600.":
    "Ce panel ne propose pas le worker en téléchargement. Clonez le dépôt de Triptych sur cette machine, installez-le avec <code>npm ci</code>, et enregistrez la clé de licence dans le fichier <code>panel-token</code> avec le mode 0600.",
  "{count} worker connected": ["{count} worker connecté", "{count} workers connectés"],
  "{busy} of {count} slot busy": ["{busy} emplacement occupé sur {count}", "{busy} emplacements occupés sur {count}"],
  "no runs queued": "aucun run en file d'attente",
  "{count} run queued, the oldest for {time}": [
    "{count} run en file d'attente, depuis {time}",
    "{count} runs en file d'attente, le plus ancien depuis {time}",
  ],
  "Built in": "Intégré",
  "Stop new work": "Arrêter les nouveaux runs",
  "Stop new work on {name}?": "Arrêter les nouveaux runs sur {name} ?",
  "Its current runs finish. It gets no new runs until you enable it again.":
    "Ses runs en cours se terminent. Il n'en reçoit pas de nouveau tant que vous ne le réactivez pas.",
  Enable: "Activer",
  "Remove {name}?": "Retirer {name} ?",
  "It is disconnected, and its runs are queued for another worker immediately.":
    "Il est déconnecté, et ses runs reviennent aussitôt dans la file pour un autre worker.",
  "Its runs are queued for another worker. If it reconnects, it counts as a new worker.":
    "Ses runs reviennent dans la file pour un autre worker. S'il se reconnecte, il compte comme un nouveau worker.",
  "Default agent and model": "Agent et modèle par défaut",
  Slots: "Emplacements",
  "{busy} of {total} busy": "{busy} occupés sur {total}",
  "run {number}": "run {number}",
  "Last seen": "Vu",
  "Pending messages": "Messages en attente",
  Key: "Clé",
  current: "à jour",
  "Outdated key: restart the panel, which gives its built-in worker the new one":
    "Clé périmée : redémarrez le panel, qui donne la nouvelle à son worker intégré",
  "Outdated key: restart the worker with the new one": "Clé périmée : redémarrez le worker avec la nouvelle",
  "No agents found. Install one, such as codex or gemini, and restart the worker.":
    "Aucun agent trouvé. Installez-en un, par exemple codex ou gemini, et redémarrez le worker.",
  "version {version}": "version {version}",
  ", by {adapter}": ", par {adapter}",
  "responded in {time}": "réponse en {time}",
  "no response": "aucune réponse",
  "Testing…": "Test…",
  "Test connection": "Tester la connexion",

  Plan: "Plan",
  "{plan} plan": "Plan {plan}",
  "{email}, created {time}": "{email}, créé {time}",
  "{email}, created {time}. The account is suspended: changes are rejected and runs wait.":
    "{email}, créé {time}. Le compte est suspendu : les changements sont refusés et les runs attendent.",
  "Runs this month": "Runs ce mois-ci",
  "Runs this month ({plan} plan)": "Runs ce mois-ci (plan {plan})",
  "Explore runs today": "Explorations aujourd'hui",
  "Workers connected": "Workers connectés",
  "Agent usage this month: {time}, {input} input tokens, {output} output tokens. Cost: {cost}.":
    "Usage des agents ce mois-ci : {time}, {input} tokens en entrée, {output} tokens en sortie. Coût : {cost}.",
  "Limits: {runs}; {memories} per repository; activity is stored for {days}; {explore}. The billing period ends {end}.":
    "Limites : {runs} ; {memories} par dépôt ; activité conservée {days} ; {explore}. La période de facturation se termine {end}.",
  "{count} parallel run": ["{count} run simultané", "{count} runs simultanés"],
  "{count} memory": ["{count} mémoire", "{count} mémoires"],
  "{count} day": ["{count} jour", "{count} jours"],
  "Explore is included": "l'exploration est incluse",
  "Explore requires the Pro plan": "l'exploration demande le plan Pro",
  "License key": "Clé de licence",
  "Workers use it to connect; it gives no other access.":
    "Les workers s'en servent pour se connecter ; elle ne donne aucun autre accès.",
  "Generation {generation}; {workers}.": "Génération {generation} ; {workers}.",
  "Generation {generation}, created {time}; {workers}.": "Génération {generation}, créée {time} ; {workers}.",
  "Rotate…": "Renouveler…",
  "Rotate the license key?": "Renouveler la clé de licence ?",
  "A new key is created immediately, and the old one stops working. Connected workers stay connected, but need the new key for their next connection.":
    "Une nouvelle clé est créée aussitôt, et l'ancienne cesse de fonctionner. Les workers connectés le restent, mais leur prochaine connexion demande la nouvelle clé.",
  "Notify connected workers": "Prévenir les workers connectés",
  "Rotating…": "Renouvellement…",
  "Rotate key": "Renouveler la clé",
  "License key rotated": "Clé de licence renouvelée",
  "new key": "nouvelle clé",
  "{notified} of {count} connected worker notified.": [
    "{notified} worker connecté prévenu sur {count}.",
    "{notified} workers connectés prévenus sur {count}.",
  ],
  "All known workers have the new key.": "Tous les workers connus ont la nouvelle clé.",
  "Outdated key: restart these workers with the new one:": "Clé périmée : redémarrez ces workers avec la nouvelle :",
  "connected, not notified": "connecté, pas prévenu",
  "not connected": "pas connecté",
  "<workers>The workers page</workers> shows which workers have the current key.":
    "<workers>La page des workers</workers> montre quels workers ont la clé actuelle.",
  "Access tokens": "Jetons d'accès",
  "Tokens of this account": "Jetons de ce compte",
  Scopes: "Portées",
  Created: "Création",
  Expires: "Expiration",
  Revoke: "Révoquer",
  "Revoke “{name}”?": "Révoquer « {name} » ?",
  "Programs that use this token lose access immediately.":
    "Les programmes qui utilisent ce jeton perdent aussitôt l'accès.",
  "New token. Copy it now: the panel stores only its hash.":
    "Nouveau jeton. Copiez-le maintenant : le panel n'en conserve que l'empreinte.",
  "No access tokens yet. Programs need one to use the API.":
    "Aucun jeton d'accès pour l'instant. Les programmes en demandent un pour utiliser l'API.",
  "CI of acme/sum": "CI d'acme/sum",
  "(license key and tokens)": "(clé de licence et jetons)",
  "Expires after (days)": "Expire après (jours)",
  "Leave empty for no expiry.": "Vide : sans expiration.",
  "Create token": "Créer le jeton",
  "This browser": "Ce navigateur",
  "Single-letter keyboard shortcuts (? shows them all)": "Raccourcis clavier à une lettre (? les affiche tous)",
  "Sign out": "Se déconnecter",
  "Signing out…": "Déconnexion…",
  "Sign out everywhere": "Se déconnecter partout",
  "Sign out everywhere?": "Se déconnecter partout ?",
  "All browsers signed in to this account must sign in again. Access tokens and workers are not affected.":
    "Tous les navigateurs connectés à ce compte devront se reconnecter. Les jetons d'accès et les workers ne changent pas.",
};
