/** Suggests the lock file's hosts for a repo whose network policy blocks package downloads. */
import type { Repo } from "@triptych/contracts";
import { call } from "../../api/call.ts";
import { updateRepo } from "../../api/endpoints.ts";
import { queries } from "../../api/queries.ts";
import { notify } from "../../layout/toast.tsx";
import { ActionButton } from "../../components/action-button.tsx";
import { missingHosts } from "../../labels/repos.ts";
import { plural, t } from "../../i18n.ts";

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
      <h2 id="allow-hosts">{t("Packages")}</h2>
      <div className="fields stack">
        <p className="lines">
          {plural(
            hosts.length,
            "The lock file downloads packages from {hosts}. The network policy of this repo blocks this host. Tests and agents can also use allowed hosts.",
            "The lock file downloads packages from {hosts}. The network policy of this repo blocks these hosts. Tests and agents can also use allowed hosts.",
            { hosts: hosts.join(", ") },
          )}
        </p>
        <p className="row">
          <ActionButton
            label={plural(hosts.length, "Allow {host} for setup", "Allow {count} hosts for setup", { host: hosts[0] })}
            busy={t("Saving…")}
            act={() => call(updateRepo, { params: { id }, body, ifMatch: etag })}
            onDone={() => {
              notify(t("Saved."));
              void queries.invalidateQueries({ queryKey: ["repo", id] });
            }}
          />
        </p>
      </div>
    </section>
  );
}
