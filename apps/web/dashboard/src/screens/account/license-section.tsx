/** The license key: hidden by default, copied without being shown, rotated in a dialog that explains the effect. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Account, AnswerOf } from "@triptych/contracts";
import type * as contract from "@triptych/contracts";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { getLicense, rotateLicense } from "../../api/endpoints.ts";
import { queries, workersQuery } from "../../api/queries.ts";
import { CopyButton } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Ago } from "../../components/stat-values.tsx";
import { ErrorMessage } from "../../components/error-message.tsx";
import { InstallCommand } from "../../components/connect-worker.tsx";
import { plural, t } from "../../i18n.ts";
import { rich } from "../../components/rich.tsx";

/** Fetched on demand and never cached. */
async function fetchKey(): Promise<string> {
  return (await call(getLicense, {})).body.license_key;
}

export function LicenseSection({ account: { license } }: { readonly account: Account }) {
  const [key, show] = useState<string | null>(null);
  const [isRotating, rotate] = useState(false);
  const showing = useMutation({ mutationFn: fetchKey, onSuccess: show });
  return (
    <section aria-labelledby="license">
      <h2 id="license">{t("License key")}</h2>
      <div className="stack">
        <p>
          {t("Workers use it to connect; it gives no other access.")}{" "}
          {rich(
            license.rotated_at === null
              ? t("Generation {generation}; {workers}.")
              : t("Generation {generation}, created {time}; {workers}."),
            {
              generation: license.generation,
              time: <Ago at={license.rotated_at} />,
              workers: plural(license.workers_connected, "{count} worker connected", "{count} workers connected"),
            },
          )}
        </p>
        <div className="key">
          <code>{key ?? "lic_••••••••••••••••"}</code>
          {key === null ? (
            <button type="button" disabled={showing.isPending} onClick={() => showing.mutate()}>
              {t("Show")}
            </button>
          ) : (
            <button type="button" onClick={() => show(null)}>
              {t("Hide")}
            </button>
          )}
          <CopyButton text={fetchKey} name={t("key")} />
          <button type="button" className="danger" onClick={() => rotate(true)}>
            {t("Rotate…")}
          </button>
        </div>
        {showing.error === null ? null : <ErrorMessage error={showing.error} />}
        {isRotating ? (
          <RotateDialog
            onClose={() => {
              rotate(false);
              show(null);
            }}
          />
        ) : null}
      </div>
    </section>
  );
}

type Rotated = AnswerOf<typeof contract.rotateLicense>;

function RotateDialog({ onClose }: { readonly onClose: () => void }) {
  const [isNotifying, setNotifying] = useState(true);
  const rotating = useMutation({
    mutationFn: async () => {
      const query = isNotifying ? { notify_workers: "1" } : {};
      const { body } = await call(rotateLicense, { query });
      const status = await queries.fetchQuery({ ...workersQuery, staleTime: 0 }).catch(() => undefined);
      void queries.invalidateQueries({ queryKey: ["account"] });
      return { body, connected: status?.summary.connected ?? body.notified_workers_count };
    },
  });
  if (rotating.data !== undefined)
    return (
      <Dialog title={t("License key rotated")} onClose={onClose}>
        <RotationResult rotated={rotating.data.body} connected={rotating.data.connected} />
        <footer className="row end">
          <CopyButton text={fetchKey} name={t("new key")} />
          <button type="button" className="primary" onClick={onClose}>
            {t("Done")}
          </button>
        </footer>
      </Dialog>
    );
  return (
    <Dialog title={t("Rotate the license key?")} onClose={onClose}>
      <p>
        {t(
          "A new key is created immediately, and the old one stops working. Connected workers stay connected, but need the new key for their next connection.",
        )}
      </p>
      <label className="check">
        <input type="checkbox" checked={isNotifying} onChange={({ target }) => setNotifying(target.checked)} />{" "}
        {t("Notify connected workers")}
      </label>
      {rotating.error === null ? null : <ErrorMessage error={rotating.error} />}
      <footer className="row end">
        <button type="button" onClick={onClose}>
          {t("Cancel")}
        </button>
        <button type="button" className="danger" disabled={rotating.isPending} onClick={() => rotating.mutate()}>
          {rotating.isPending ? t("Rotating…") : t("Rotate key")}
        </button>
      </footer>
    </Dialog>
  );
}

/** Workers that received the new key, and those that need it by hand. */
function RotationResult({ rotated, connected }: { readonly rotated: Rotated; readonly connected: number }) {
  const { data } = useQuery(workersQuery);
  const outdated = (data?.workers ?? []).filter(({ key_current }) => !key_current);
  const all = Math.max(connected, rotated.notified_workers_count);
  return (
    <>
      <p role="status">
        <b>
          {plural(
            all,
            "{notified} of {count} connected worker notified.",
            "{notified} of {count} connected workers notified.",
            {
              notified: rotated.notified_workers_count,
            },
          )}
        </b>{" "}
        {outdated.length === 0 ? t("All known workers have the new key.") : null}
      </p>
      {outdated.length === 0 ? null : (
        <>
          <p>{t("Outdated key: restart these workers with the new one:")}</p>
          <ul>
            {outdated.map(({ id, name, connected }) => (
              <li key={id}>
                <b>
                  <bdi>{name}</bdi>
                </b>{" "}
                <span className="soft">{connected ? t("connected, not notified") : t("not connected")}</span>
              </li>
            ))}
          </ul>
          <InstallCommand isKeyNew />
        </>
      )}
      <p className="soft">
        {rich(t("<workers>The workers page</workers> shows which workers have the current key."), {
          workers: <Link to="/workers" />,
        })}
      </p>
    </>
  );
}
