/** States and results of runs, and the list of runs. */
import type { Catalogue } from "../i18n.ts";

export const RUNS: Catalogue = {
  Queued: "En file d'attente",
  Assigned: "Attribué",
  Preparing: "Préparation",
  Running: "En cours",
  Verifying: "Vérification",
  Pushing: "Push en cours",
  Pushed: "Poussé",
  "PR open": "PR ouverte",
  Succeeded: "Réussi",
  "No changes": "Aucune modification",
  Failed: "Échoué",
  Cancelled: "Annulé",
  Expired: "Expiré",
  Lost: "Perdu",
  "PR needs work": "PR à reprendre",
  "PR missing": "PR manquante",

  "is queued": "est en file d'attente",
  "is waiting: no worker is connected": "attend : aucun worker n'est connecté",
  "is waiting: no worker has an agent for it": "attend : aucun worker n'a d'agent pour ce run",
  "is waiting: no worker has {clis}": "attend : aucun worker n'a {clis}",
  "is waiting: no worker has isolation “{level}”": "attend : aucun worker n'a l'isolation « {level} »",
  "is waiting: the plan's limit of parallel runs is reached":
    "attend : la limite de runs simultanés du plan est atteinte",
  "is waiting: another run of this repository is in progress": "attend : un autre run de ce dépôt est en cours",
  "is waiting: its repository is paused": "attend : son dépôt est en pause",
  "is waiting: its repository is unreachable": "attend : son dépôt est inaccessible",
  "is waiting for the retry delay": "attend la fin du délai avant le nouvel essai",
  "is waiting: all workers are busy": "attend : tous les workers sont occupés",
  "It {waits}.": "Ce run {waits}.",
  "It {waits}, position {position}.": "Ce run {waits}, position {position}.",
  "{what} would wait: {reason}.": "{what} attendrait : {reason}.",
  "A run": "Un run",
  "This run": "Ce run",
  "A run or explore run": "Un run ou une exploration",
  "subject|Explore": "L'exploration",
  "no worker is connected": "aucun worker n'est connecté",
  "no connected worker has the agent": "aucun worker connecté n'a l'agent",
  "no connected worker has the required isolation": "aucun worker connecté n'a l'isolation exigée",

  "Completed. The checks pass.": "Terminé. Les vérifications passent.",
  "No changes needed: the gate already passes.": "Aucune modification nécessaire : la gate passe déjà.",
  "The work is already done, or the gate does not test it.": "Le travail est déjà fait, ou la gate ne le teste pas.",
  "The checks failed after the change, in every round.":
    "Les vérifications ont échoué après la modification, à chaque tour.",
  "Read the last output, add what is missing to the focus, and retry.":
    "Lisez la dernière sortie, complétez la consigne et relancez.",
  "The checks failed before the change.": "Les vérifications échouaient avant la modification.",
  "Fix the checks first, or give the run a gate that proves its own change.":
    "Réparez d'abord les vérifications, ou donnez au run une gate qui prouve sa propre modification.",
  "The agent ended with an error.": "L'agent s'est terminé en erreur.",
  "See the last lines under Activity. Test the agent's connection on its worker.":
    "Voyez les dernières lignes sous Activité. Testez la connexion de l'agent sur son worker.",
  "The agent is not signed in with its provider.": "L'agent n'est pas connecté à son fournisseur.",
  "Set the model's API key on the worker, then test the connection.":
    "Définissez la clé d'API du modèle sur le worker, puis testez la connexion.",
  "Cost limit reached.": "Limite de coût atteinte.",
  "Token limit reached.": "Limite de tokens atteinte.",
  "Turn limit reached.": "Limite de tours atteinte.",
  "Time limit reached.": "Limite de temps atteinte.",
  "Raise the limit in the settings, or ask for less at once.":
    "Relevez la limite dans les réglages, ou demandez moins à la fois.",
  "Raise the time limit in the settings, or split the task.":
    "Relevez la limite de temps dans les réglages, ou découpez la tâche.",
  "The agent produced no output for too long.": "L'agent est resté trop longtemps sans sortie.",
  "See under Activity where it stopped; raise the idle timeout if it was still working.":
    "Voyez sous Activité où il s'est arrêté ; relevez le délai d'inactivité s'il travaillait encore.",
  "Policy violation.": "Violation des règles.",
  "See Activity for details. Nothing left the worker.": "Détails sous Activité. Rien n'a quitté le worker.",
  "The project does not accept contributions made with AI. Nothing was pushed.":
    "Le projet n'accepte pas les contributions faites avec une IA. Rien n'a été poussé.",
  "Read the quoted sentence. If a maintainer allows runs, override the policy in the settings.":
    "Lisez la phrase citée. Si un mainteneur autorise les runs, passez outre dans les réglages.",
  "The change edits a protected path.": "La modification touche un chemin protégé.",
  "Remove the path from the protected paths if the change is intended.":
    "Retirez le chemin des chemins protégés si la modification est voulue.",
  "The change is too large.": "La modification est trop grande.",
  "Raise the limit on files or lines, or split the task.":
    "Relevez la limite de fichiers ou de lignes, ou découpez la tâche.",
  "The change adds something that looks like a secret. Nothing was pushed.":
    "La modification ajoute ce qui ressemble à un secret. Rien n'a été poussé.",
  "Review the change, and revoke the secret if it is one.":
    "Relisez la modification, et révoquez le secret si c'en est un.",
  "The repository could not be cloned.": "Le dépôt n'a pas pu être cloné.",
  "Check the address and the credential in the settings.":
    "Vérifiez l'adresse et l'authentification dans les réglages.",
  "The setup command failed.": "La commande d'installation a échoué.",
  "See its output under Activity, then fix the command in the settings.":
    "Voyez sa sortie sous Activité, puis corrigez la commande dans les réglages.",
  "The checks cannot run on this worker. No agent was started.":
    "Les vérifications ne peuvent pas tourner sur ce worker. Aucun agent n'a été lancé.",
  "Install what is missing, or change the setup or test command in the settings.":
    "Installez ce qui manque, ou changez la commande d'installation ou de test dans les réglages.",
  "The change conflicts with the branch.": "La modification est en conflit avec la branche.",
  "Retry: the new run starts from the current branch.": "Relancez : le nouveau run part de la branche actuelle.",
  "The Git host rejected the branch.": "L'hébergeur Git a refusé la branche.",
  "Check that the credential has push access. The work is saved; retry pushes it again.":
    "Vérifiez que l'authentification permet le push. Le travail est conservé ; relancer le pousse à nouveau.",
  "Someone else pushed to the branch of this run.": "Quelqu'un d'autre a poussé sur la branche de ce run.",
  "Check the branch on your Git host. Retry creates a new one.":
    "Vérifiez la branche chez votre hébergeur Git. Relancer en crée une nouvelle.",
  "The pull request still needs work after the maximum number of follow-up runs.":
    "La pull request est encore à reprendre après le nombre maximal de runs de suivi.",
  "Fix it yourself, or start another follow-up run.": "Corrigez-la vous-même, ou lancez un autre run de suivi.",
  "The worker does not have the isolation that the repository requires.":
    "Le worker n'a pas l'isolation que le dépôt exige.",
  "Connect a worker that has it, or lower the minimum isolation in the settings.":
    "Connectez un worker qui l'a, ou abaissez l'isolation minimale dans les réglages.",
  "The worker's upload was invalid.": "L'envoi du worker n'était pas valide.",
  "Retry; if it happens again, update the worker.": "Relancez ; si cela se reproduit, mettez le worker à jour.",
  "The worker was lost on every attempt.": "Le worker a été perdu à chaque tentative.",
  "Check the worker's machine, then retry.": "Vérifiez la machine du worker, puis relancez.",
  "Cancelled. Nothing was pushed.": "Annulé. Rien n'a été poussé.",
  "Retry starts a new run with the same settings.": "Relancer démarre un nouveau run avec les mêmes réglages.",
  "No worker took it within a day.": "Aucun worker ne l'a pris en une journée.",
  "Connect a worker, then retry.": "Connectez un worker, puis relancez.",
  "Internal error.": "Erreur interne.",
  "Retry. The panel's log has the details under this run ID.":
    "Relancez. Le journal du panel a les détails sous l'identifiant de ce run.",

  "Its pull request was merged.": "Sa pull request a été fusionnée.",
  "Pull request #{number} is open.": "La pull request n° {number} est ouverte.",
  "Pull request #{number} is open as a draft.": "La pull request n° {number} est ouverte en brouillon.",
  "Pull request #{number} is closed.": "La pull request n° {number} est fermée.",
  "Review and merge it on your Git host.": "Relisez-la et fusionnez-la chez votre hébergeur Git.",
  "The branch was pushed.": "La branche a été poussée.",
  "The branch was pushed, but its pull request is missing.": "La branche a été poussée, mais sa pull request manque.",
  "Create the PR (safe to repeat).": "Créez la PR (à répéter sans risque).",
  "Merge the branch on your Git host.": "Fusionnez la branche chez votre hébergeur Git.",
  "No changes were needed.": "Aucune modification n'était nécessaire.",
  "Explored the repository.": "Dépôt exploré.",
  "Explored the repository: no new candidates.": "Dépôt exploré : aucun nouveau candidat.",
  "Explored the repository: {count} new candidate.": [
    "Dépôt exploré : {count} nouveau candidat.",
    "Dépôt exploré : {count} nouveaux candidats.",
  ],
  "Review its candidates.": "Examinez ses candidats.",
  "Review the candidates.": "Examinez les candidats.",
  "The checks pass.": "Les vérifications passent.",
  "The checks failed before and pass now.": "Les vérifications échouaient avant et passent maintenant.",
  "The gate passes, the checks still fail.": "La gate passe, les vérifications échouent encore.",
  "The checks are flaky: they failed, then passed on a retry.":
    "Les vérifications sont instables : elles ont échoué, puis sont passées au nouvel essai.",
  "There were no checks.": "Il n'y avait aucune vérification.",
  "No worker was connected when this run was started.": "Aucun worker n'était connecté au lancement de ce run.",
  "Network access was unrestricted: this worker has no sandbox.":
    "L'accès au réseau n'était pas restreint : ce worker n'a pas de sandbox.",
  "Isolation was raised to the operator's minimum.": "L'isolation a été relevée au minimum de l'exploitant.",
  "This change edits existing tests: review them closely.":
    "Cette modification touche des tests existants : relisez-les de près.",

  Run: "Run",
  "noun|Explore": "Exploration",
  Repo: "Dépôt",
  State: "État",
  Focus: "Consigne",
  Result: "Résultat",
  Change: "Modification",
  Trigger: "Déclencheur",
  Worker: "Worker",
  Duration: "Durée",
  Tokens: "Tokens",
  Cost: "Coût",
  Age: "Âge",
  Manual: "Manuel",
  Schedule: "Planification",
  Candidate: "Candidat",
  "noun|Retry": "Nouvel essai",
  Demo: "Démo",
  "Follow-up": "Suivi",
  Kind: "Type",
  "All states": "Tous les états",
  "All kinds": "Tous les types",
  "All repos": "Tous les dépôts",
  Outcome: "Issue",
  Maintain: "Maintenance",
  "In progress": "En cours",
  "Needs attention": "À traiter",
  "Older runs": "Runs plus anciens",
  "No run matches the filter.": "Aucun run ne correspond au filtre.",
  "Show all runs": "Afficher tous les runs",
  "No runs yet. Start one from a repository.": "Aucun run pour l'instant. Lancez-en un depuis un dépôt.",
  "Choose a repository": "Choisir un dépôt",
};
