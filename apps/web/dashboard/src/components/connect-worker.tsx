/**
 * How to connect a worker to this panel. No command contains the license key, because shells keep a history and the process list shows
 * arguments.
 */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { workerDownloadQuery } from "../api/queries.ts";
import { CopyButton } from "./copy.tsx";
import { t } from "../i18n.ts";
import { rich } from "./rich.tsx";

export function ConnectWorker() {
  return (
    <ol className="steps">
      <li>
        {rich(
          t(
            "On the machine that runs the work: Node.js 22.19 or newer, and git. Runs need a coding CLI in <code>PATH</code> with its API key, such as <code>codex</code> and <code>OPENAI_API_KEY</code>; Explore needs none. Isolation <code>sandbox</code> needs <code>bwrap</code> (bubblewrap).",
          ),
        )}
      </li>
      <li>
        {rich(
          t(
            "Paste the command. It asks for the license key of <account>your account</account>, and starts the worker.",
          ),
          { account: <Link to="/account" /> },
        )}
        <InstallCommand />
      </li>
    </ol>
  );
}

/** Has the length of a digest, so that the line does not wrap later. */
const DIGEST_PLACEHOLDER = "…".padEnd(64, "\u00A0");

/** @param isKeyNew the machine has a worker with an older key. */
export function InstallCommand({ isKeyNew = false }: { readonly isKeyNew?: boolean }) {
  const { data, error } = useQuery(workerDownloadQuery);
  if (error !== null) return <CloneCommand />;
  const { origin } = location;
  // The script's own address comes from the panel's configuration, which may name another one.
  const variable = data === undefined || data.panel === origin ? "" : `PANEL_URL=${origin} `;
  const command = `${isKeyNew ? "rm -f ~/.triptych-worker/key; " : ""}curl -fsSL ${origin}/worker/install.sh | ${variable}sh`;
  return (
    <>
      <Line command={command} name={t("command")} />
      <p className="soft digest">
        {rich(t("SHA-256 of the worker, which the command verifies and prints: <code>{digest}</code>"), {
          digest: data?.sha256 ?? DIGEST_PLACEHOLDER,
        })}
      </p>
    </>
  );
}

/** Shown if the panel cannot pack the worker, because development tools are not installed. */
function CloneCommand() {
  const command = `npm run triptych -- worker --panel ${location.origin} --token-file panel-token`;
  return (
    <>
      <p>
        {rich(
          t(
            "This panel cannot offer the worker as a download. Clone the Triptych repository on that machine instead, install it with <code>npm ci</code>, and save the license key in the file <code>panel-token</code> with mode 0600.",
          ),
        )}
      </p>
      <Line command={command} name={t("command")} />
    </>
  );
}

function Line({ command, name }: { readonly command: string; readonly name: string }) {
  return (
    <div className="command">
      <code>{command}</code>
      <CopyButton text={command} name={name} />
    </div>
  );
}
