/** The balance of the last 30 days as a line, with a table as its accessible form. */
import { useLoad } from "../../shared/hooks.ts";
import type { Session } from "./api.ts";
import { dailyBalances, type DailyBalance } from "./daily-balance.ts";
import { Refused } from "./frame.tsx";
import { format, say } from "./words.ts";

export const DAYS = 30;
const HEIGHT = 60;
/** As high as the text that follows, so that nothing moves when it arrives. */
const RESERVED = "\u00A0";

export function BalanceHistory({ session }: { readonly session: Session }) {
  const { api, version } = session;
  const history = useLoad(
    (signal) => {
      const lastEntry = async (until: string) => (await api.entries({ until, limit: 1 }, signal)).items[0] ?? null;
      return dailyBalances(lastEntry, { now: Date.now(), days: DAYS });
    },
    [api, version],
  );
  const days = history.data ?? [];
  const most = Math.max(1, ...days.map(({ micro }) => micro ?? 0));
  return (
    <div id="history">
      <h3 id="history-title">{say("balanceHistory")}</h3>
      <div class="chart" aria-hidden="true">
        <span class="soft small">{history.data === null ? RESERVED : format.euro(most)}</span>
        <svg viewBox={`0 0 ${DAYS} ${HEIGHT}`} preserveAspectRatio="none">
          <path class="line" d={lineOf(days, most)} />
        </svg>
        <div class="ends soft small">
          <span>{days[0] === undefined ? RESERVED : format.utcDay(days[0].day)}</span>
          <span>{days.at(-1) && say("today")}</span>
        </div>
      </div>
      <p class="visually-hidden" role="status">
        {history.data === null && history.busy ? say("loading") : ""}
      </p>
      <Refused id="history-refused" error={history.error} />
      <details id="history-box">
        <summary>{say("asTable")}</summary>
        <table aria-labelledby="history-title">
          <thead>
            <tr>
              <th scope="col">{say("dayUtc")}</th>
              <th scope="col" class="amount">
                {say("balance")}
              </th>
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map(({ day, micro }) => (
              <tr key={day}>
                <th scope="row">{format.utcDay(day)}</th>
                <td class="amount">{micro === null ? "–" : format.columnEuro(micro)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </div>
  );
}

/** A step for each day, from the first day with a balance. */
function lineOf(days: readonly DailyBalance[], most: number): string {
  const y = (micro: number) => (HEIGHT - 1 - (micro / most) * (HEIGHT - 2)).toFixed(2);
  const first = days.findIndex(({ micro }) => micro !== null);
  const steps = days.map(({ micro }, x) => (micro === null ? "" : `V${y(micro)}H${x + 1}`));
  return first < 0 ? "" : `M${first} ${y(days[first].micro ?? 0)}${steps.join("")}`;
}
