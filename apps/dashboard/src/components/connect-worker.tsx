/** How to connect a worker to this panel. The license key goes into a file: the process list shows arguments. */
import { Link } from "@tanstack/react-router";
import { CopyButton } from "./copy.tsx";

/** In a clone of the repository: the worker is not published as a package. */
export function workerCommand(): string {
  return `npm run triptych -- worker --panel ${location.origin} --token-file panel-token`;
}

const KEY_COMMAND = "(umask 077 && cat > panel-token)";
const DOCTOR_COMMAND = "npm run triptych -- worker doctor";

export function ConnectWorker() {
  return (
    <ol className="steps">
      <li>
        On the machine that runs the work: Node 20 or newer with npm, and git. Runs need a coding CLI in{" "}
        <code>PATH</code> with its API key, such as <code>codex</code> and <code>OPENAI_API_KEY</code>; Explore needs
        none. Isolation <code>sandbox</code> needs <code>bwrap</code> (bubblewrap).
      </li>
      <li>
        Clone the Triptych repository there and install it: <code>git clone … triptych && cd triptych && npm ci</code>
      </li>
      <li>
        Save the license key of <Link to="/account">your account</Link> in a file: paste it, then press Ctrl+D.
        <Line command={KEY_COMMAND} name="command" />
      </li>
      <li>
        Start the worker. <code>{DOCTOR_COMMAND}</code> checks the machine.
        <Line command={workerCommand()} name="command" />
      </li>
    </ol>
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
