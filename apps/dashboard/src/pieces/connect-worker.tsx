/** The line that connects a worker to this panel. The key is not in it: it is copied apart, or read from a variable. */
import { CopyButton } from "./copy.tsx";

export function workerCommand(): string {
  return `npx triptych worker --panel ${location.origin} --token "$PANEL_TOKEN"`;
}

export function ConnectWorker() {
  const command = workerCommand();
  return (
    <div className="command">
      <code>{command}</code>
      <CopyButton text={command} name="command" />
    </div>
  );
}
