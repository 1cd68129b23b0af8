/** A repo in two steps: where it is and what opens it; then what the first contact found. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { call, clickKey } from "../api/call.ts";
import { createRepo } from "../api/endpoints.ts";
import { queries, repoQuery } from "../api/queries.ts";
import { useTitle } from "../frame/title.ts";
import { Field, faultAt, hasOnlyFieldFaults } from "../pieces/field.tsx";
import { CredentialFields, CredentialKind, credentialOf, type Kind } from "../pieces/credential-fields.tsx";
import { typed } from "../pieces/form-text.ts";
import { TextBones } from "../pieces/bones.tsx";
import { Loaded } from "../pieces/loaded.tsx";
import { Word } from "../pieces/state.tsx";
import { Trouble } from "../pieces/trouble.tsx";
import { REPO_TONES } from "../words/repos.ts";
import { SentForm } from "../pieces/sent-form.tsx";
import { Pair } from "../pieces/pair.tsx";
import { RunForm } from "./repo/run-form.tsx";

export function NewRepo() {
  useTitle("Add a repo");
  const [made, setMade] = useState<string | null>(null);
  return (
    <div className="narrow">
      <nav aria-label="Breadcrumb" className="crumbs">
        <Link to="/repos">Repos</Link> / add
      </nav>
      <h1>Add a repo</h1>
      {made === null ? <AddressForm onMade={setMade} /> : <FirstContact id={made} />}
    </div>
  );
}

const POINTERS = ["/url", "/credential", "/verify_cmd", "/focus", "/provider"];

/** Where it is and what opens it; the id of what was made is told. */
export function AddressForm({ onMade }: { readonly onMade: (id: string) => void }) {
  const [kind, setKind] = useState<Kind>("none");
  const [url, setUrl] = useState("");
  const adding = useMutation({
    mutationFn: async (sent: FormData) => {
      const verify = typed(sent, "verify_cmd").trim();
      const focus = typed(sent, "focus").trim();
      const body = {
        url: typed(sent, "url").trim(),
        credential: credentialOf(kind, sent),
        ...(verify !== "" && { verify_cmd: verify }),
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
    <SentForm sending={adding}>
      <Field
        label="Address"
        fault={faultAt(error, "/url")}
        hint={
          detected === null ? (
            <>
              Such as <code>https://github.com/acme/sum.git</code> or <code>git@git.example:acme/sum.git</code>
            </>
          ) : (
            `Looks like ${detected}.`
          )
        }
      >
        {(given) => (
          <input
            {...given}
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
      <CredentialKind kind={kind} onChange={setKind} fault={faultAt(error, "/credential")} />
      <CredentialFields kind={kind} />
      <Field
        label="Command that proves it"
        fault={faultAt(error, "/verify_cmd")}
        hint={
          <>
            Left empty, it is looked for: <code>npm test</code>, <code>make test</code>, <code>cargo test</code>,{" "}
            <code>go test ./...</code>, <code>pytest</code>.
          </>
        }
      >
        {(given) => (
          <input {...given} name="verify_cmd" spellCheck={false} maxLength={2000} placeholder="found by itself" />
        )}
      </Field>
      <Field
        label="What runs are to do"
        fault={faultAt(error, "/focus")}
        hint="Said to the agent at each run, unless the run says otherwise."
      >
        {(given) => (
          <textarea {...given} name="focus" rows={2} maxLength={4000} placeholder="Keep the repository healthy." />
        )}
      </Field>
      {error === null || hasOnlyFieldFaults(error, POINTERS) ? null : <Trouble error={error} />}
      <button type="submit" className="primary" disabled={adding.isPending}>
        {adding.isPending ? "Adding…" : "Add the repo"}
      </button>
    </SentForm>
  );
}

function providerOf(url: string): string | null {
  const host = /^(?:https?:\/\/(?:[^@/]*@)?|ssh:\/\/(?:[^@/]*@)?|[^@/\s]+@)([^/:]+)/.exec(url)?.[1] ?? "";
  if (host === "github.com") return "GitHub";
  if (host.startsWith("gitlab.")) return "GitLab";
  if (host === "codeberg.org" || host.startsWith("gitea.") || host.startsWith("forgejo.")) return "Gitea or Forgejo";
  return null;
}

const LOOK_MS = 1_000;

function FirstContact({ id }: { readonly id: string }) {
  const query = useQuery({
    ...repoQuery(id),
    refetchInterval: ({ state }) => (state.data?.repo.status === "checking" ? LOOK_MS : false),
  });
  return (
    <Loaded query={query} skeleton={<TextBones lines={4} />}>
      {({ repo }) => (
        <div className="stack">
          <p role="status">
            <Word tone={REPO_TONES[repo.status]}>
              {repo.status === "checking"
                ? `Reaching ${repo.name} for the first time…`
                : repo.status === "unreachable"
                  ? `${repo.name} was not reached`
                  : `${repo.name} was reached`}
            </Word>
          </p>
          {repo.status_reason === null ? null : <p className="lines">{repo.status_reason}</p>}
          <dl className="pairs">
            <Pair name="Provider">{repo.provider}</Pair>
            <Pair name="Default branch">{repo.default_branch ?? <span className="soft">not known yet</span>}</Pair>
            <Pair name="Proved by">
              {repo.verify_cmd === null ? (
                <span className="soft">
                  {repo.status === "checking"
                    ? "being looked for"
                    : "nothing found: name a command in the settings, or runs end as drafts"}
                </span>
              ) : (
                <code>{repo.verify_cmd}</code>
              )}
            </Pair>
            <Pair name="Credential">
              {repo.credential.set ? repo.credential.kind : "none"}
              {repo.credential.push === null ? "" : repo.credential.push ? ", may push" : ", may not push"}
              {repo.credential.open_pr === null
                ? ""
                : repo.credential.open_pr
                  ? ", may open pull requests"
                  : ", may not open pull requests"}
            </Pair>
          </dl>
          {repo.status === "active" ? <RunForm repo={repo} /> : null}
          <p className="row">
            <Link to="/repos/$id" params={{ id }} search={{ tab: "settings" }}>
              Settings of {repo.name}
            </Link>
            <Link to="/repos">All repos</Link>
          </p>
        </div>
      )}
    </Loaded>
  );
}
