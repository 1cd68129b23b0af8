import { useLoad } from "../../shared/hooks.ts";
import type { UsageBucket, Session } from "./api.ts";
import { DAYS } from "./balance-history.tsx";
import { lastDays } from "./daily-balance.ts";
import { Refused } from "./frame.tsx";
import { format, say } from "./words.ts";

const HEIGHT = 60;

export function Usage({ session }: { readonly session: Session }) {
  const { api, version } = session;
  const usage = useLoad(
    async (signal) => {
      const days = lastDays(Date.now(), DAYS);
      const byDay = new Map((await api.usage(days[0], days[DAYS - 1], signal)).map((item) => [item.bucket, item]));
      return days.map((bucket) => byDay.get(bucket) ?? { bucket, decisions: 0, amount_micro: 0 });
    },
    [api, version],
  );
  const days = usage.data ?? [];
  const used = days.filter(({ decisions }) => decisions > 0);
  return (
    <section aria-labelledby="usage-title">
      <h2 id="usage-title">{say("usage")}</h2>
      <p id="usage-said" role="status">
        {usage.data === null ? (usage.busy ? say("loading") : "") : sentenceOf(used)}
      </p>
      <Refused id="usage-refused" error={usage.error} />
      {used.length > 0 && (
        <>
          <Bars days={days} />
          <details id="usage-box">
            <summary>{say("asTable")}</summary>
            <table aria-labelledby="usage-title">
              <thead>
                <tr>
                  <th scope="col">{say("dayUtc")}</th>
                  <th scope="col" class="amount">
                    {say("decisions")}
                  </th>
                  <th scope="col" class="amount">
                    {say("cost")}
                  </th>
                </tr>
              </thead>
              <tbody id="usage-rows">
                {used.toReversed().map(({ bucket, decisions, amount_micro }) => (
                  <tr key={bucket}>
                    <th scope="row">{format.utcDay(bucket)}</th>
                    <td class="amount">{format.count(decisions)}</td>
                    <td class="amount">{format.euro(amount_micro)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        </>
      )}
    </section>
  );
}

function sentenceOf(used: readonly UsageBucket[]): string {
  if (used.length === 0) return say("noUsage");
  const sum = (key: "decisions" | "amount_micro") => used.reduce((total, day) => total + day[key], 0);
  const most = Math.max(...used.map(({ decisions }) => decisions));
  return say("usageSum", { count: sum("decisions"), amount: format.euro(sum("amount_micro")), most });
}

function Bars({ days }: { readonly days: readonly UsageBucket[] }) {
  const most = Math.max(...days.map(({ decisions }) => decisions));
  return (
    <div class="chart" aria-hidden="true">
      <svg id="usage-bars" viewBox={`0 0 ${days.length} ${HEIGHT}`} preserveAspectRatio="none">
        {days.map(({ bucket, decisions, amount_micro }, index) => (
          <rect
            key={bucket}
            x={index + 0.1}
            y={HEIGHT * (1 - decisions / most)}
            width={0.8}
            height={(HEIGHT * decisions) / most}
          >
            <title>
              {say("usageDay", { day: format.utcDay(bucket), count: decisions, amount: format.euro(amount_micro) })}
            </title>
          </rect>
        ))}
      </svg>
    </div>
  );
}
