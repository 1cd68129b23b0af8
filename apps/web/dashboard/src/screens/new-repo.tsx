/** A new repo in two steps: address and credential; then the detected settings and the first Explore. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Repo } from "@triptych/contracts";
import { ISOLATION_LEVELS, NETWORKS } from "@triptych/contracts/plain";
import { useState } from "react";
import { call, clickKey } from "../api/call.ts";
import { createRepo } from "../api/endpoints.ts";
import { queries, repoQuery, workersQuery } from "../api/queries.ts";
import { useTitle } from "../layout/title.ts";
import { Field, errorAt, hasOnlyFieldErrors } from "../components/field.tsx";
import { COMMAND_POINTERS, CommandFields } from "../components/command-fields.tsx";
import {
  CredentialFields,
  CredentialKind,
  credentialOf,
  type CredentialType,
} from "../components/credential-fields.tsx";
import { typed } from "../components/form-text.ts";
import { SkeletonText } from "../components/skeleton.tsx";
import { QueryBoundary } from "../components/query-boundary.tsx";
import { StateLabel } from "../components/state.tsx";
import { ErrorMessage } from "../components/error-message.tsx";
import { credentialLabel, describeRights, NETWORK_LABELS, REPO_TONES, PROVIDER_LABELS } from "../labels/repos.ts";
import { SubmitForm } from "../components/submit-form.tsx";
import { DefinitionPair } from "../components/stat-values.tsx";
import { AllowHosts } from "./repo/allow-hosts.tsx";
import { CheckSection } from "./repo/check-section.tsx";
import { DetectedForm } from "./repo/detected-form.tsx";
import { ExploreButton } from "./repo/explore-button.tsx";
import { RunForm } from "./repo/run-form.tsx";
import { isSameWait, StartWarning } from "../components/start-warning.tsx";
import { panelText, t } from "../i18n.ts";
import { rich } from "../components/rich.tsx";

export function NewRepo() {
  useTitle(t("Add a repo"));
  const [made, setMade] = useState<string | null>(null);
  return (
    <div className="narrow">
      <nav aria-label={t("Breadcrumb")} className="crumbs">
        <Link to="/repos">{t("Repos")}</Link> / {t("Add")}
      </nav>
      <h1>{t("Add a repo")}</h1>
      {made === null ? <AddressForm onMade={setMade} /> : <FirstContact id={made} />}
    </div>
  );
}

const POINTERS = ["/url", "/credential", ...COMMAND_POINTERS, "/isolation", "/focus", "/provider"];

export function AddressForm({ onMade }: { readonly onMade: (id: string) => void }) {
  const [kind, setKind] = useState<CredentialType>("none");
  const [url, setUrl] = useState("");
  const adding = useMutation({
    mutationFn: async (sent: FormData) => {
      const verify = typed(sent, "verify_cmd").trim();
      const setup = typed(sent, "setup_cmd").trim();
      const level = ISOLATION_LEVELS.find((candidate) => candidate === typed(sent, "level_required"));
      const network = NETWORKS.find((candidate) => candidate === typed(sent, "network"));
      const focus = typed(sent, "focus").trim();
      const body = {
        url: typed(sent, "url").trim(),
        credential: credentialOf(kind, sent),
        ...(verify !== "" && { verify_cmd: verify }),
        ...(setup !== "" && { verify: { setup_cmd: setup } }),
        isolation: { level_required: level, network },
        ...(focus !== "" && { focus }),
      };
      return (await call(createRepo, { body, idempotencyKey: clickKey() })).body;
    },
    onSuccess: (repo) => {
      void queries.invalidateQueries({ queryKey: ["repos"] });
      onMade(repo.id);
    },
  });
  const { error } = adding;
  const detected = providerOf(url);
  return (
    <SubmitForm sending={adding}>
      <Field
        label={t("Address")}
        error={errorAt(error, "/url")}
        hint={
          detected === null
            ? rich(t("Such as <code>{https}</code> or <code>{ssh}</code>"), {
                https: "https://github.com/acme/sum.git",
                ssh: "git@git.example:acme/sum.git",
              })
            : t("Looks like {detected}.", { detected })
        }
      >
        {(inputProps) => (
          <input
            {...inputProps}
            name="url"
            required
            maxLength={2048}
            spellCheck={false}
            autoComplete="off"
            value={url}
            onChange={({ target }) => setUrl(target.value)}
          />
        )}
      </Field>
      <CredentialKind kind={kind} onChange={setKind} error={errorAt(error, "/credential")} />
      <CredentialFields kind={kind} />
      <CommandFields
        error={error}
        placeholder={t("Detected automatically")}
        setup={{
          hint: rich(
            t("Installs what the tests need, such as <code>npm ci</code>. Empty: detected from the lock file."),
          ),
        }}
        verify={{
          hint: rich(t("Runs before and after a change, such as <code>npm test</code>. Empty: detected.")),
        }}
      />
      <IsolationFields error={error} />
      <Field
        label={t("Default instructions")}
        error={errorAt(error, "/focus")}
        hint={t("Sent to the agent in every run without its own instructions.")}
      >
        {(inputProps) => (
          <textarea
            {...inputProps}
            name="focus"
            rows={2}
            maxLength={4000}
            placeholder={t("Keep the repository healthy.")}
          />
        )}
      </Field>
      {error === null || hasOnlyFieldErrors(error, POINTERS) ? null : <ErrorMessage error={error} />}
      <button type="submit" className="primary" disabled={adding.isPending}>
        {adding.isPending ? t("Adding…") : t("Add repo")}
      </button>
    </SubmitForm>
  );
}

function providerOf(url: string): string | null {
  const host = /^(?:https?:\/\/(?:[^@/]*@)?|ssh:\/\/(?:[^@/]*@)?|[^@/\s]+@)([^/:]+)/.exec(url)?.[1] ?? "";
  if (host === "github.com") return "GitHub";
  if (host.startsWith("gitlab.")) return "GitLab";
  if (host === "codeberg.org" || host.startsWith("gitea.") || host.startsWith("forgejo.")) return t("Gitea or Forgejo");
  return null;
}

const POLL_INTERVAL_MS = 1_000;

function FirstContact({ id }: { readonly id: string }) {
  const query = useQuery({
    ...repoQuery(id),
    refetchInterval: ({ state }) => (state.data?.repo.status === "checking" ? POLL_INTERVAL_MS : false),
  });
  return (
    <QueryBoundary query={query} skeleton={<SkeletonText lines={4} />}>
      {({ repo, etag }) => (
        <div className="stack">
          <p role="status">
            <StateLabel tone={REPO_TONES[repo.status]}>
              {repo.status === "checking"
                ? t("Connecting to {name}…", { name: repo.name })
                : repo.status === "unreachable"
                  ? t("{name} is unreachable", { name: repo.name })
                  : t("Connected to {name}", { name: repo.name })}
            </StateLabel>
          </p>
          {repo.status_reason === null ? null : <p className="lines">{panelText(repo.status_reason)}</p>}
          <dl className="pairs">
            <DefinitionPair name={t("Provider")}>{PROVIDER_LABELS[repo.provider]}</DefinitionPair>
            <DefinitionPair name={t("Default branch")}>
              {repo.default_branch ?? <span className="soft">{t("unknown")}</span>}
            </DefinitionPair>
            <DefinitionPair name={t("Credential")}>
              {repo.credential.set ? credentialLabel(repo.credential.kind) : t("none")}
              {describeRights(repo.credential)}
            </DefinitionPair>
          </dl>
          {repo.status === "active" ? <NextSteps repo={repo} etag={etag} /> : null}
          <p className="row">
            <Link to="/repos/$id" params={{ id }} search={{ tab: "settings" }}>
              {t("Settings of {name}", { name: repo.name })}
            </Link>
            <Link to="/repos">{t("All repos")}</Link>
          </p>
        </div>
      )}
    </QueryBoundary>
  );
}

/** Explore comes first: it needs no coding agent, and finds work with a failing command as proof. */
function NextSteps({ repo, etag }: { readonly repo: Repo; readonly etag: string }) {
  const { run, explore } = repo.would_wait;
  return (
    <>
      <CheckSection repo={repo} layout="stack" />
      <AllowHosts repo={repo} etag={etag} layout="stack" />
      <DetectedForm key={repo.revision} repo={repo} etag={etag} />
      <section className="stack" aria-labelledby="first-explore">
        <h2 id="first-explore">{t("Find work")}</h2>
        <p className="soft">{t("Explore reads the repository and proposes candidates. It needs no coding agent.")}</p>
        <StartWarning what={t("subject|Explore")} waiting={explore} />
        <p className="row">
          <ExploreButton repo={repo} isPrimary />
        </p>
      </section>
      <section className="stack" aria-labelledby="first-run">
        <h2 id="first-run">{t("Or start a run")}</h2>
        <p className="soft">{t("A run needs a worker with a coding agent.")}</p>
        {isSameWait(run, explore) ? null : <StartWarning what={t("A run")} waiting={run} />}
        <RunForm repo={repo} isWarned />
      </section>
    </>
  );
}

const DEFAULT_LEVEL = "sandbox";

/** Warns about a missing isolation level before a run has to wait for it. */
function IsolationFields({ error }: { readonly error: unknown }) {
  const { data } = useQuery(workersQuery);
  const [level, setLevel] = useState<string>(DEFAULT_LEVEL);
  const connected = (data?.workers ?? []).filter((worker) => worker.connected && worker.enabled);
  const rank = (name: string) => ISOLATION_LEVELS.findIndex((candidate) => candidate === name);
  const isMissing = connected.length > 0 && connected.every(({ isolation }) => rank(isolation) < rank(level));
  const [best = ""] = connected.map(({ isolation }) => isolation).toSorted((a, b) => rank(b) - rank(a));
  return (
    <>
      <Field
        label={t("Minimum isolation")}
        error={errorAt(error, "/isolation/level_required")}
        hint={
          <>
            {t("worktree: a separate folder. sandbox: fully isolated. container: inside an image.")}
            {isMissing ? (
              <p className="lines">
                <StateLabel tone="attention">
                  {t("No connected worker has {level}: runs would wait.", { level })}
                </StateLabel>{" "}
                {level === "sandbox"
                  ? t("Choose {best}, or install bubblewrap (bwrap) on a worker's machine and restart the worker.", {
                      best,
                    })
                  : t("Choose {best}.", { best })}
              </p>
            ) : null}
          </>
        }
      >
        {(inputProps) => (
          <select {...inputProps} name="level_required" value={level} onChange={({ target }) => setLevel(target.value)}>
            {ISOLATION_LEVELS.map((option) => (
              <option key={option}>{option}</option>
            ))}
          </select>
        )}
      </Field>
      <Field
        label={t("Network")}
        error={errorAt(error, "/isolation/network")}
        hint={t(
          "Hosts that setup, tests and agents can reach. Enforced at sandbox level or above. A setup that downloads packages needs open or an allow list.",
        )}
      >
        {(inputProps) => (
          <select {...inputProps} name="network" defaultValue="model_only">
            {NETWORKS.map((option) => (
              <option key={option} value={option}>
                {NETWORK_LABELS[option]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </>
  );
}
