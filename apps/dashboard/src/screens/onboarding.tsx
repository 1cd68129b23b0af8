/** First steps of a new account, in order, with completed ones marked. */
import { Link } from "@tanstack/react-router";
import { ConnectWorker } from "../components/connect-worker.tsx";
import { StateLabel } from "../components/state.tsx";

interface FirstStepsProps {
  readonly hasRepo: boolean;
  readonly hasWorker: boolean;
}

export function FirstSteps({ hasRepo, hasWorker }: FirstStepsProps) {
  return (
    <ol className="needs">
      <Step isDone={hasRepo}>
        <Link to="/repos/new" data-item>
          Add a repo
        </Link>
        <p className="soft">Where the work is. With a token that may push, runs end as pull requests.</p>
      </Step>
      <Step isDone={hasWorker}>
        <Link to="/workers" data-item>
          Connect a worker
        </Link>
        {hasWorker ? null : (
          <>
            <p className="soft">No worker is connected. Runs wait until one connects.</p>
            <ConnectWorker />
          </>
        )}
      </Step>
      <Step isDone={false}>
        <Link to="/repos" data-item>
          Explore the repo
        </Link>
        <p className="soft">
          Explore finds work and needs no coding agent. Then run a candidate, or start a run of your own.
        </p>
      </Step>
    </ol>
  );
}

function Step({ isDone, children }: { readonly isDone: boolean; readonly children: React.ReactNode }) {
  return (
    <li className="tall">
      <StateLabel tone={isDone ? "success" : "rest"}>{isDone ? "done" : "to do"}</StateLabel>
      <div>{children}</div>
    </li>
  );
}
