import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Worker } from "@triptych/contracts";
import { call } from "../api/call.ts";
import { deleteWorker, updateWorker } from "../api/endpoints.ts";
import { queries, workersQuery } from "../api/queries.ts";
import { useTitle } from "../layout/title.ts";
import { ActionButton } from "../components/action-button.tsx";
import { SkeletonBar, SkeletonButton } from "../components/skeleton.tsx";
import { ConnectWorker } from "../components/connect-worker.tsx";
import { Empty } from "../components/empty.tsx";
import { Ago } from "../components/stat-values.tsx";
import { QueryBoundary } from "../components/query-boundary.tsx";
import { StateLabel } from "../components/state.tsx";
import { duration, exactDuration } from "../labels/format.ts";
import type { Tone } from "../labels/runs.ts";
import { HEALTH_LABELS } from "../labels/workers.ts";
import { WorkerAgents } from "./worker-agents.tsx";
import "./workers.css";
import { plural, t } from "../i18n.ts";

const TONES: Readonly<Record<Worker["health"], Tone>> = {
  online: "success",
  degraded: "attention",
  stale: "attention",
  offline: "failure",
  disabled: "rest",
};

const WARNINGS: Readonly<Record<Worker["warnings"][number], { readonly what: string; readonly remedy: string }>> = {
  no_sandbox: {
    what: t("No sandbox."),
    remedy: t(
      "Commands run with the permissions of the worker's user, and the network policy is not enforced. Run triptych worker doctor on its machine to see what is missing.",
    ),
  },
  isolation_below_minimum: {
    what: t("Isolation below the operator's minimum."),
    remedy: t("This worker gets no runs. Start it with a higher --isolation."),
  },
};

export function Workers() {
  useTitle(t("Workers"));
  const query = useQuery(workersQuery);
  return (
    <>
      <div className="head">
        <h1>{t("Workers")}</h1>
        {query.data === undefined ? null : <Summary summary={query.data.summary} />}
      </div>
      <QueryBoundary query={query} skeleton={<WorkerSkeleton />}>
        {({ workers }) => (
          <>
            {workers.length === 0 ? (
              <Empty why={t("No worker has connected yet. Runs wait until one connects.")} />
            ) : (
              <ul className="workers">
                {workers.map((worker) => (
                  <WorkerItem key={worker.id} worker={worker} />
                ))}
              </ul>
            )}
            <Connect isFirst={workers.length === 0} />
          </>
        )}
      </QueryBoundary>
    </>
  );
}

function Connect({ isFirst }: { readonly isFirst: boolean }) {
  return (
    <section aria-labelledby="connect">
      <h2 id="connect">{isFirst ? t("Connect a worker") : t("Connect another worker")}</h2>
      <ConnectWorker />
    </section>
  );
}

function WorkerSkeleton() {
  return (
    <ul className="workers">
      <li>
        <div className="row">
          <SkeletonBar width="s56" />
          <SkeletonBar width="s120" />
          <span className="fill" />
          <div className="actions">
            <SkeletonButton />
            <SkeletonButton />
          </div>
        </div>
        <dl className="facts">
          {[
            t("Default agent and model"),
            t("Slots"),
            t("Isolation"),
            t("System"),
            t("Last seen"),
            t("Pending messages"),
            t("Key"),
          ].map((name) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd className="bone-line">
                <SkeletonBar width="s72" />
              </dd>
            </div>
          ))}
        </dl>
        <ul className="agents">
          {(["s120", "s72", "s56", "s48"] as const).map((width) => (
            <li key={width}>
              <SkeletonBar width={width} />
            </li>
          ))}
        </ul>
      </li>
    </ul>
  );
}

function Summary({
  summary,
}: {
  readonly summary: { connected: number; slots: number; busy: number; queued: number; oldest_queued_s: number };
}) {
  const { connected, slots, busy, queued, oldest_queued_s } = summary;
  return (
    <p className="soft">
      {plural(connected, "{count} worker connected", "{count} workers connected")},{" "}
      {plural(slots, "{busy} of {count} slot busy", "{busy} of {count} slots busy", { busy })},{" "}
      {queued === 0
        ? t("no runs queued")
        : plural(queued, "{count} run queued, the oldest for {time}", "{count} runs queued, the oldest for {time}", {
            time: duration(oldest_queued_s * 1_000),
          })}
    </p>
  );
}

function WorkerItem({ worker }: { readonly worker: Worker }) {
  const {
    id,
    name,
    health,
    enabled,
    connected,
    cli,
    model,
    slots,
    runs,
    isolation,
    os,
    version,
    rtt_ms,
    outbox,
    key_current,
  } = worker;
  const params = { id };
  const changed = () => void queries.invalidateQueries({ queryKey: ["workers"] });
  return (
    <li>
      <div className="row">
        <StateLabel tone={TONES[health]}>{HEALTH_LABELS[health]}</StateLabel>
        <h2 data-item tabIndex={-1}>
          <bdi>{name}</bdi>
        </h2>
        {worker.embedded ? <span className="soft">{t("Built in")}</span> : null}
        <span className="fill" />
        <div className="actions">
          {enabled ? (
            <ActionButton
              label={t("Stop new work")}
              ask={{
                title: t("Stop new work on {name}?", { name }),
                text: t("Its current runs finish. It gets no new runs until you enable it again."),
                yes: t("Stop new work"),
              }}
              act={async () => (await call(updateWorker, { params, body: { enabled: false } })).body}
              onDone={changed}
            />
          ) : (
            <ActionButton
              label={t("Enable")}
              isPrimary
              act={async () => (await call(updateWorker, { params, body: { enabled: true } })).body}
              onDone={changed}
            />
          )}
          <ActionButton
            label={t("Remove")}
            isDanger
            ask={{
              title: t("Remove {name}?", { name }),
              text: connected
                ? t("It is disconnected, and its runs are queued for another worker immediately.")
                : t("Its runs are queued for another worker. If it reconnects, it counts as a new worker."),
              yes: t("Remove"),
            }}
            act={() => call(deleteWorker, { params })}
            onDone={changed}
          />
        </div>
      </div>
      {worker.warnings.map((code) => (
        <p className="lines" key={code}>
          <StateLabel tone="attention">{WARNINGS[code].what}</StateLabel> {WARNINGS[code].remedy}
        </p>
      ))}
      <dl className="facts">
        <Fact name={t("Default agent and model")}>
          {cli === null ? t("none") : model === null ? cli : t("{cli} with {model}", { cli, model })}
        </Fact>
        <Fact name={t("Slots")}>
          {t("{busy} of {total} busy", slots)}
          {runs.map((run, index) => (
            <span key={run}>
              {index === 0 ? ": " : ", "}
              <Link to="/runs/$id" params={{ id: run }}>
                {t("run {number}", { number: index + 1 })}
              </Link>
            </span>
          ))}
        </Fact>
        <Fact name={t("Isolation")}>{isolation}</Fact>
        <Fact name={t("System")}>{`${os}, triptych ${version}`}</Fact>
        <Fact name={t("Last seen")}>
          <Ago at={worker.last_seen_at} />
          {rtt_ms === null ? "" : `, ${exactDuration(rtt_ms)}`}
        </Fact>
        <Fact name={t("Pending messages")}>
          {t("{value} of {limit}", { value: outbox.pending, limit: outbox.limit })}
        </Fact>
        <Fact name={t("Key")}>
          {key_current ? (
            t("current")
          ) : (
            <StateLabel tone="attention">
              {worker.embedded
                ? t("Outdated key: restart the panel, which gives its built-in worker the new one")
                : t("Outdated key: restart the worker with the new one")}
            </StateLabel>
          )}
        </Fact>
      </dl>
      <WorkerAgents worker={worker} />
    </li>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
