/** Suggests the lock file's hosts for a repo whose network policy blocks package downloads. */
import type { Repo } from "@triptych/contracts";
import { call } from "../../api/call.ts";
import { updateRepo } from "../../api/endpoints.ts";
import { queries } from "../../api/queries.ts";
import { notify } from "../../layout/toast.tsx";
import { ActionButton } from "../../components/action-button.tsx";
import { missingHosts } from "../../labels/repos.ts";

interface AllowHostsProps {
  readonly repo: Repo;
  readonly etag: string;
  readonly layout: "settings-extra" | "stack";
}

export function AllowHosts({ repo, etag, layout }: AllowHostsProps) {
  const hosts = missingHosts(repo);
  if (hosts.length === 0) return null;
  const { id, isolation } = repo;
  const allow_hosts = [...new Set([...isolation.allow_hosts, ...hosts])];
  const body = { isolation: { network: "allow_list" as const, allow_hosts } };
  return (
    <section className={layout} aria-labelledby="allow-hosts">
      <h2 id="allow-hosts">Packages</h2>
      <div className="fields stack">
        <p className="lines">
          The lock file downloads packages from {hosts.join(", ")}. The network policy of this repo blocks{" "}
          {hosts.length === 1 ? "this host" : "these hosts"}. Tests and agents can also use allowed hosts.
        </p>
        <p className="row">
          <ActionButton
            label={`Allow ${hosts.length === 1 ? hosts[0] : `${hosts.length} hosts`} for setup`}
            busy="Saving…"
            act={() => call(updateRepo, { params: { id }, body, ifMatch: etag })}
            onDone={() => {
              notify("Saved.");
              void queries.invalidateQueries({ queryKey: ["repo", id] });
            }}
          />
        </p>
      </div>
    </section>
  );
}
