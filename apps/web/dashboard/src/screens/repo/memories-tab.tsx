/** Memories that agents propose wait until a person accepts them. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { MEMORY_KINDS, MEMORY_TEXT_MAX, type MemoryKind } from "@triptych/contracts/plain";
import type { Memory, Repo } from "@triptych/contracts";
import { useRef } from "react";
import { call, clickKey } from "../../api/call.ts";
import { addMemory, deleteMemory, updateMemory } from "../../api/endpoints.ts";
import { memoriesQuery, queries } from "../../api/queries.ts";
import { ActionButton } from "../../components/action-button.tsx";
import { Empty } from "../../components/empty.tsx";
import { Field, errorAt, hasOnlyFieldErrors, useFocusOnError } from "../../components/field.tsx";
import { Ago } from "../../components/stat-values.tsx";
import { typed } from "../../components/form-text.ts";
import { MemorySkeleton } from "./repo-skeleton.tsx";
import { QueryBoundary } from "../../components/query-boundary.tsx";
import { StateLabel } from "../../components/state.tsx";
import { TextBlock } from "../../components/text-block.tsx";
import { ErrorMessage } from "../../components/error-message.tsx";
import { plural, t } from "../../i18n.ts";

const KIND_LABELS: Readonly<Record<MemoryKind, string>> = {
  convention: t("convention"),
  command: t("command"),
  pitfall: t("pitfall"),
  decision: t("decision"),
  preference: t("preference"),
};

export function MemoriesTab({ repo }: { readonly repo: Repo }) {
  const query = useQuery(memoriesQuery(repo.id));
  return (
    <>
      <AddForm repo={repo} />
      <QueryBoundary query={query} skeleton={<MemorySkeleton />}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty why={t("No memories yet. Memories are given to every agent that works on this repository.")}>
              <p className="soft">{t("For example: “Tests need Node 24; run them with npm test.”")}</p>
            </Empty>
          ) : (
            <Lists items={items} />
          )
        }
      </QueryBoundary>
    </>
  );
}

function Lists({ items }: { readonly items: readonly Memory[] }) {
  const pending = items.filter(({ status }) => status === "pending");
  const active = items
    .filter(({ status }) => status === "active")
    .toSorted((one, other) => Number(other.pinned) - Number(one.pinned));
  return (
    <>
      {pending.length === 0 ? null : (
        <section aria-labelledby="pending">
          <h2 id="pending">{t("To review")}</h2>
          <ul className="memories">
            {pending.map((memory) => (
              <MemoryItem key={memory.id} memory={memory} />
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="active-memories">
        <h2 id="active-memories">{t("Active")}</h2>
        {active.length === 0 ? <p className="soft quiet">{t("No active memories.")}</p> : null}
        <ul className="memories">
          {active.map((memory) => (
            <MemoryItem key={memory.id} memory={memory} />
          ))}
        </ul>
      </section>
    </>
  );
}

function MemoryItem({ memory }: { readonly memory: Memory }) {
  const { id, repo_id, text, kind, source, status, pinned, scope, hits, last_used_at } = memory;
  const params = { id: repo_id, mid: id };
  const changed = () => {
    void queries.invalidateQueries({ queryKey: ["memories", repo_id] });
    void queries.invalidateQueries({ queryKey: ["repo", repo_id] });
  };
  const change = (body: { status?: "active"; pinned?: boolean }) => async () =>
    (await call(updateMemory, { params, body })).body;
  return (
    <li>
      <div>
        <TextBlock text={text} lines={5} />
        <p className="row soft">
          {status === "pending" ? <StateLabel tone="attention">{t("pending")}</StateLabel> : null}
          {pinned ? <StateLabel tone="rest">{t("pinned")}</StateLabel> : null}
          <span>{KIND_LABELS[kind]}</span>
          <span>{source === "user" ? t("by a person") : t("by an agent")}</span>
          {scope === null ? null : <code>{scope}</code>}
          <span>{hits === 0 ? t("not used yet") : plural(hits, "used {count} time", "used {count} times")}</span>
          {last_used_at === null ? null : <Ago at={last_used_at} />}
        </p>
      </div>
      <div className="actions">
        {status === "pending" ? (
          <ActionButton label={t("Accept")} isPrimary act={change({ status: "active" })} onDone={changed} />
        ) : (
          <ActionButton label={pinned ? t("Unpin") : t("Pin")} act={change({ pinned: !pinned })} onDone={changed} />
        )}
        <ActionButton
          label={t("Delete")}
          ask={{
            title: t("Delete this memory?"),
            text: t("“{text}” will no longer be given to agents.", { text: text.slice(0, 120) }),
            yes: t("Delete"),
          }}
          act={() => call(deleteMemory, { params })}
          onDone={changed}
        />
      </div>
    </li>
  );
}

function AddForm({ repo }: { readonly repo: Repo }) {
  const form = useRef<HTMLFormElement>(null);
  const adding = useMutation({
    mutationFn: async (sent: FormData) => {
      const scope = typed(sent, "scope").trim();
      const body = {
        text: typed(sent, "text").trim(),
        kind: kindOf(typed(sent, "kind")),
        ...(scope !== "" && { scope }),
      };
      return (await call(addMemory, { params: { id: repo.id }, body, idempotencyKey: clickKey() })).body;
    },
    onSuccess: () => {
      form.current?.reset();
      void queries.invalidateQueries({ queryKey: ["memories", repo.id] });
    },
  });
  useFocusOnError(form, adding.error);
  return (
    <form
      ref={form}
      className="add-memory"
      onSubmit={(event) => {
        event.preventDefault();
        adding.mutate(new FormData(event.currentTarget));
      }}
    >
      <Field label={t("Something agents should know")} error={errorAt(adding.error, "/text")}>
        {(inputProps) => <textarea {...inputProps} name="text" rows={1} required maxLength={MEMORY_TEXT_MAX} />}
      </Field>
      <Field label={t("Kind")}>
        {(inputProps) => (
          <select {...inputProps} name="kind">
            {MEMORY_KINDS.map((kind) => (
              <option key={kind} value={kind}>
                {KIND_LABELS[kind]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={t("Only for paths")} error={errorAt(adding.error, "/scope")}>
        {(inputProps) => (
          <input {...inputProps} name="scope" maxLength={200} placeholder={t("all, or src/**")} spellCheck={false} />
        )}
      </Field>
      <button type="submit" disabled={adding.isPending}>
        {adding.isPending ? t("Adding…") : t("Add")}
      </button>
      {adding.error === null || hasOnlyFieldErrors(adding.error, ["/text", "/scope"]) ? null : (
        <ErrorMessage error={adding.error} />
      )}
    </form>
  );
}

function kindOf(value: string): MemoryKind {
  return MEMORY_KINDS.find((kind) => kind === value) ?? "convention";
}
