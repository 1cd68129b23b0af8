import { useMutation } from "@tanstack/react-query";
import type { ProbeResult, Worker } from "@triptych/contracts";
import { useState } from "react";
import { call } from "../api/call.ts";
import { probeWorker } from "../api/endpoints.ts";
import { Ago } from "../components/stat-values.tsx";
import { StateLabel } from "../components/state.tsx";
import { ErrorMessage } from "../components/error-message.tsx";
import { exactDuration } from "../labels/format.ts";
import { t } from "../i18n.ts";

export function WorkerAgents({ worker }: { readonly worker: Worker }) {
  if (worker.agents.length === 0)
    return (
      <p className="soft">{t("No agents found. Install one, such as codex or gemini, and restart the worker.")}</p>
    );
  return (
    <ul className="agents">
      {worker.agents.map(({ cli, version, adapter, models }) => (
        <li key={cli}>
          <b>{cli}</b>{" "}
          <span className="soft">
            {/^\d+$/.test(version) ? t("version {version}", { version }) : version}
            {adapter === cli ? "" : t(", by {adapter}", { adapter })}
          </span>
          {(models.length === 0 ? [null] : models).map((model) => (
            <Probe key={model ?? ""} worker={worker} cli={cli} model={model} />
          ))}
        </li>
      ))}
    </ul>
  );
}

/** Sends one small real prompt, for agents that have a model. */
function Probe({
  worker,
  cli,
  model,
}: {
  readonly worker: Worker;
  readonly cli: string;
  readonly model: string | null;
}) {
  const [fresh, setFresh] = useState<ProbeResult | null>(null);
  const probing = useMutation({
    mutationFn: async () => (await call(probeWorker, { body: { cli, model: model ?? "", worker_id: worker.id } })).body,
    onSuccess: setFresh,
  });
  const last = fresh ?? worker.probes.find((one) => one.cli === cli && (model === null || one.model === model)) ?? null;
  return (
    <span className="probe">
      {model === null ? null : <code>{model}</code>}
      {last === null ? null : last.ok ? (
        <StateLabel tone="success">{t("responded in {time}", { time: exactDuration(last.latency_ms) })}</StateLabel>
      ) : (
        <StateLabel tone="failure">
          {last.error === null ? t("no response") : `${last.error.code.replaceAll("_", " ")}: ${last.error.message}`}
        </StateLabel>
      )}
      {last === null ? null : (
        <span className="soft">
          <Ago at={last.checked_at} />
        </span>
      )}
      {model === null ? null : (
        <button type="button" disabled={probing.isPending || !worker.connected} onClick={() => probing.mutate()}>
          {probing.isPending ? t("Testing…") : t("Test connection")}
          <span className="visually-hidden">
            {" "}
            {cli} {model}
          </span>
        </button>
      )}
      {probing.error === null ? null : <ErrorMessage error={probing.error} />}
    </span>
  );
}
