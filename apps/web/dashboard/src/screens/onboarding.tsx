import { Link } from "@tanstack/react-router";
import { ConnectWorker } from "../components/connect-worker.tsx";
import { StateLabel } from "../components/state.tsx";
import { t } from "../i18n.ts";

interface FirstStepsProps {
  /** ID of the first repository, if there is one. */
  readonly repoId: string | undefined;
  readonly hasWorker: boolean;
}

export function FirstSteps({ repoId, hasWorker }: FirstStepsProps) {
  return (
    <ol className="needs">
      <Step isDone={repoId !== undefined}>
        <Link to="/repos/new" data-item>
          {t("Add a repo")}
        </Link>
        <p className="soft">{t("The repository to maintain. With a token that can push, runs open pull requests.")}</p>
      </Step>
      <Step isDone={hasWorker}>
        <Link to="/workers" data-item>
          {t("Connect a worker")}
        </Link>
        {hasWorker ? null : (
          <>
            <p className="soft">{t("No worker is connected. Runs wait until one connects.")}</p>
            <ConnectWorker />
          </>
        )}
      </Step>
      <Step isDone={false}>
        {repoId === undefined ? (
          <span>{t("Start a run")}</span>
        ) : (
          <Link to="/repos/$id" params={{ id: repoId }} search={{ tab: undefined }} data-item>
            {t("Start a run")}
          </Link>
        )}
        <p className="soft">
          {t("Explore finds work and needs no coding agent. Then run a candidate, or start your own run.")}
        </p>
      </Step>
    </ol>
  );
}

function Step({ isDone, children }: { readonly isDone: boolean; readonly children: React.ReactNode }) {
  return (
    <li className="tall">
      <StateLabel tone={isDone ? "success" : "rest"}>{isDone ? t("step|done") : t("to do")}</StateLabel>
      <div>{children}</div>
    </li>
  );
}
