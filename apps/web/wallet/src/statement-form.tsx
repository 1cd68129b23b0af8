/** Downloads a month. The token is sent in a header, so the file is fetched, not linked. */
import { useState } from "preact/hooks";
import { onSubmit, valueOf } from "../../shared/components.tsx";
import { useAction } from "../../shared/hooks.ts";
import type { Session } from "./api.ts";
import { Refused } from "./frame.tsx";
import { say } from "./words.ts";

const MONTHS_MAX = 24;

export function StatementForm({ session }: { readonly session: Session }) {
  const { api, wallet } = session;
  const [saved, setSaved] = useState<{ readonly signature: string | null } | null>(null);
  const action = useAction();
  const download = (month: string, format: "json" | "csv") =>
    action.run(async () => {
      const { text, mediaType, signature } = await api.statement(month, format);
      save(`statement-${month}.${format}`, text, mediaType);
      setSaved({ signature });
    });
  return (
    <section aria-labelledby="statement-title">
      <h2 id="statement-title">{say("statement")}</h2>
      <form
        class="fields"
        onSubmit={onSubmit(
          (form) =>
            void download(
              valueOf(form, "statement-month"),
              valueOf(form, "statement-format") === "csv" ? "csv" : "json",
            ),
        )}
      >
        <div>
          <label for="statement-month">{say("monthUtc")}</label>
          <select id="statement-month">
            {monthsSince(wallet.created_at).map((month) => (
              <option key={month}>{month}</option>
            ))}
          </select>
        </div>
        <div>
          <label for="statement-format">{say("format")}</label>
          <select id="statement-format">
            <option value="json">{say("jsonSigned")}</option>
            <option value="csv">CSV</option>
          </select>
        </div>
        <button id="statement-button" disabled={action.busy}>
          {say("download")}
        </button>
      </form>
      <p id="statement-said" class="said" role="status">
        {saved !== null && say(saved.signature === null ? "savedSigned" : "savedWithSignature")}{" "}
        {saved?.signature != null && <code>{saved.signature}</code>}
      </p>
      <Refused id="statement-refused" error={action.error} />
    </section>
  );
}

/** Newest first. */
function monthsSince(createdAt: string): readonly string[] {
  const now = new Date();
  return Array.from({ length: MONTHS_MAX }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 7),
  ).filter((month) => month >= createdAt.slice(0, 7));
}

function save(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
