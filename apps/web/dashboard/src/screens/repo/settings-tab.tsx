/** All settings of a repo. Sends only changed fields, with the revision that they are based on. On a conflict, both versions are shown. */
import { ProblemError } from "@triptych/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { call } from "../../api/call.ts";
import { getRepo, updateRepo } from "../../api/endpoints.ts";
import { queries, repoQuery, type SeenRepo } from "../../api/queries.ts";
import { notify } from "../../layout/toast.tsx";
import { hasOnlyFieldErrors, useFocusOnError } from "../../components/field.tsx";
import { typed, typedSet } from "../../components/form-text.ts";
import { QueryBoundary } from "../../components/query-boundary.tsx";
import { ErrorMessage } from "../../components/error-message.tsx";
import { AiPolicySection } from "./ai-policy-section.tsx";
import { AllowHosts } from "./allow-hosts.tsx";
import { CheckSection } from "./check-section.tsx";
import { ConflictDialog } from "./conflict-dialog.tsx";
import { CredentialForm } from "./credential-form.tsx";
import { EnvironmentForm } from "./environment-form.tsx";
import { SettingInput } from "./setting-input.tsx";
import { SettingsSkeleton } from "./repo-skeleton.tsx";
import { GROUPS, SCHEDULE, SCOUT } from "./settings-fields.ts";
import { differences, patchOf, pointerOf, type Difference } from "./settings-patch.ts";
import { locale, t } from "../../i18n.ts";

export function SettingsTab({ id }: { readonly id: string }) {
  const query = useQuery(repoQuery(id));
  return (
    <QueryBoundary query={query} skeleton={<SettingsSkeleton />}>
      {(seen) => <Settings latest={seen} />}
    </QueryBoundary>
  );
}

const FIELDS = GROUPS.flatMap(({ fields }) => fields);
const POINTERS = FIELDS.map(({ path }) => pointerOf(path));

/** An untouched form follows the saved values; an edited one stays on its revision. */
function Settings({ latest }: { readonly latest: SeenRepo }) {
  const [pinned, hold] = useState<SeenRepo | null>(null);
  const seen = pinned ?? latest;
  return (
    <>
      <SettingsForm
        key={seen.repo.revision}
        seen={seen}
        isBehind={pinned !== null && latest.repo.revision !== pinned.repo.revision}
        onTouched={() => hold((before) => before ?? latest)}
        onReset={() => hold(null)}
      />
      <CheckSection repo={latest.repo} layout="settings-extra" />
      <AllowHosts repo={latest.repo} etag={latest.etag} layout="settings-extra" />
      <EnvironmentForm repo={latest.repo} />
      <CredentialForm repo={latest.repo} />
      <AiPolicySection repo={latest.repo} />
    </>
  );
}

interface SettingsFormProps {
  readonly seen: SeenRepo;
  readonly isBehind: boolean;
  readonly onTouched: () => void;
  readonly onReset: () => void;
}

interface Conflict {
  readonly theirs: SeenRepo;
  readonly changes: readonly Difference[];
}

function SettingsForm({ seen, isBehind, onTouched, onReset }: SettingsFormProps) {
  const { repo } = seen;
  const form = useRef<HTMLFormElement>(null);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const params = { id: repo.id };

  async function save(changes: readonly Difference[], etag: string): Promise<void> {
    try {
      // The fields validate their input; the panel reports remaining errors by field.
      const { body, headers } = await call(updateRepo, { params, body: patchOf(changes), ifMatch: etag });
      queries.setQueryData(["repo", repo.id], { repo: body, etag: headers.get("etag") ?? "" });
      void queries.invalidateQueries({ queryKey: ["repos"] });
      setConflict(null);
      onReset();
      notify(t("Saved. Existing runs keep their settings."));
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== "revision_conflict") throw error;
      const { body, headers } = await call(getRepo, { params });
      setConflict({ theirs: { repo: body, etag: headers.get("etag") ?? "" }, changes });
    }
  }

  const saving = useMutation({
    mutationFn: async (sent: FormData) => {
      const changes = differences(FIELDS, repo, ({ path, kind }) => (kind === "set" ? typedSet : typed)(sent, path));
      if (changes.length > 0) await save(changes, seen.etag);
      else notify(t("No changes to save."));
    },
  });
  const again = useMutation({ mutationFn: ({ theirs, changes }: Conflict) => save(changes, theirs.etag) });
  const { error } = saving;
  useFocusOnError(form, error);
  return (
    <form
      ref={form}
      className="settings"
      onInput={onTouched}
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate(new FormData(event.currentTarget));
      }}
    >
      {isBehind ? (
        <p role="status" className="behind">
          {t("These settings were changed elsewhere. Your edits are not lost: saving shows both versions.")}
        </p>
      ) : null}
      {GROUPS.map((group, index) => (
        <section key={group.name} aria-labelledby={`group-${index}`}>
          <h2 id={`group-${index}`}>{group.name}</h2>
          <div className="fields">
            {group.about === undefined ? null : <p className="soft">{group.about}</p>}
            {group.fields.map((field) => (
              <SettingInput key={field.path} field={field} seen={repo} error={error} onChange={onTouched} />
            ))}
            {group === SCHEDULE ? <NextTimes times={repo.next_runs} zone={repo.schedule.timezone} /> : null}
            {group === SCOUT ? <NextTimes times={repo.next_explores} zone={repo.schedule.timezone} /> : null}
          </div>
        </section>
      ))}
      <footer className="row save">
        <button type="submit" className="primary" disabled={saving.isPending}>
          {saving.isPending ? t("Saving…") : t("Save")}
        </button>
        <button
          type="button"
          onClick={() => {
            form.current?.reset();
            saving.reset();
            onReset();
          }}
        >
          {t("Discard changes")}
        </button>
        {error === null || hasOnlyFieldErrors(error, POINTERS) ? null : <ErrorMessage error={error} />}
      </footer>
      {conflict === null ? null : (
        <ConflictDialog
          theirs={conflict.theirs.repo}
          changes={conflict.changes}
          error={again.error}
          isBusy={again.isPending}
          onMine={() => again.mutate(conflict)}
          onTheirs={() => {
            queries.setQueryData(["repo", repo.id], conflict.theirs);
            setConflict(null);
            onReset();
          }}
          onClose={() => setConflict(null)}
        />
      )}
    </form>
  );
}

/** Times of the saved schedule; a new pattern shows its times after it is saved. */
function NextTimes({ times, zone }: { readonly times: readonly string[]; readonly zone: string }) {
  if (times.length === 0) return <p className="soft">{t("No schedule set.")}</p>;
  const format = new Intl.DateTimeFormat(locale, {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    timeZone: zone,
  });
  return (
    <div className="field">
      <span>{t("Next, in {zone}", { zone })}</span>
      <ul className="next-runs">
        {times.map((at) => (
          <li key={at}>
            <time dateTime={at}>{format.format(Date.parse(at))}</time>
          </li>
        ))}
      </ul>
    </div>
  );
}
