import type { Run } from "@triptych/contracts";
import { useMemo } from "react";
import { useBus, type FollowedBus } from "../../run-events/follow-bus.ts";
import { stepsOf } from "../../run-events/rows.ts";
import { useNow } from "../../components/watch.ts";
import { Meter } from "../../components/meter.tsx";
import { classes } from "../../components/table.tsx";
import { duration, money, short } from "../../labels/format.ts";
import { spentMs, STATE_LABELS } from "../../labels/runs.ts";
import { t } from "../../i18n.ts";

export function Timeline({ run, bus }: { readonly run: Run; readonly bus: FollowedBus }) {
  const now = useNow();
  const isOver = run.phase !== "active";
  const changes = useBus(bus, (view) => view.changes);
  const steps = useMemo(() => stepsOf(changes, isOver), [changes, isOver]);
  return (
    <ol className="timeline" aria-label={t("States")}>
      {steps.map(({ state, at, ms }, index) => (
        <li key={`${state} ${at}`} className={classes(index === steps.length - 1 && "now")}>
          <span>{stateLabel(state)}</span>
          {isOver && index === steps.length - 1 ? null : (
            <span className="soft">{duration(ms ?? Math.max(0, now - at))}</span>
          )}
        </li>
      ))}
    </ol>
  );
}

function stateLabel(state: string): string {
  return Object.entries(STATE_LABELS).find(([name]) => name === state)?.[1] ?? state;
}

export function RunMeters({ run }: { readonly run: Run }) {
  const now = useNow();
  const { usage, limits } = run;
  const tokens = usage.input_tokens + usage.output_tokens;
  const isPriced = usage.cost_micro !== null;
  return (
    <div className="meters">
      <Meter name={t("Time")} value={spentMs(run, now) ?? 0} cap={limits.timeout_s * 1_000} show={duration} />
      {isPriced ? (
        <Meter
          name={usage.cost_source === "estimated" ? t("Cost, estimated") : t("Cost")}
          value={usage.cost_micro ?? 0}
          cap={limits.max_cost_micro}
          show={money}
        />
      ) : (
        <div className="meter" title={t("No agent reported its cost; the token limit applies.")}>
          <span className="soft">{t("Cost")}</span>
          <span>{t("unknown")}</span>
          <div className="track" aria-hidden="true" />
        </div>
      )}
      <Meter name={t("Tokens")} value={tokens} cap={limits.max_tokens} show={short} />
      <Meter name={t("Turns")} value={usage.turns} cap={limits.max_turns} />
    </div>
  );
}
