/** Spending limits of the wallet; for a sub-token its own, without the form. */
import { onSubmit, Pairs, valueOf } from "../../shared/components.tsx";
import { useAction } from "../../shared/hooks.ts";
import type { Wallet, Session } from "./api.ts";
import { microIn, MoneyField, Refused } from "./frame.tsx";
import { format, say } from "./words.ts";

const WINDOWS = ["per_charge_micro", "per_day_micro", "per_month_micro"] as const;
const TOKEN_CAPS = [...WINDOWS, "total_micro"] as const;

export function Caps({ session }: { readonly session: Session }) {
  const { api, wallet, refresh } = session;
  const action = useAction();
  const change = (body: Parameters<typeof api.change>[0]) =>
    action.run(async () => {
      await api.change(body);
      await refresh();
    });
  const save = (form: HTMLFormElement) =>
    change({ caps: capsIn(form, "caps"), alerts: alertsIn(valueOf(form, "caps-alerts")) });
  return (
    <section aria-labelledby="caps-title">
      <h2 id="caps-title">{say("caps")}</h2>
      <div id="caps-state" role="status">
        <Spending caps={wallet.caps} spent={wallet.spent} at={session.readAt} />
      </div>
      {wallet.token === null && (
        <form key={JSON.stringify([wallet.caps, wallet.alerts])} onSubmit={onSubmit((form) => void save(form))}>
          <div class="fields">
            <CapFields prefix="caps" caps={wallet.caps} />
            <div>
              <label for="caps-alerts">{say("alerts")}</label>
              <input
                id="caps-alerts"
                defaultValue={wallet.alerts.join(", ")}
                pattern="\s*(\d{1,3}\s*(,\s*\d{1,3}\s*){0,4})?"
                title={say("alertsPattern")}
                autocomplete="off"
              />
            </div>
          </div>
          <div class="together">
            <button id="caps-save" disabled={action.busy}>
              {say("saveCaps")}
            </button>
            <button id="caps-lift" type="button" disabled={action.busy} onClick={() => void change({ caps: null })}>
              {say("liftCaps")}
            </button>
          </div>
          <p class="why soft">{say("capsWhy")}</p>
        </form>
      )}
      <Refused id="caps-refused" error={action.error} />
    </section>
  );
}

interface CapFieldsProps {
  readonly prefix: "caps" | "agent";
  readonly caps?: Wallet["caps"];
}

export function CapFields({ prefix, caps }: CapFieldsProps) {
  return (
    <>
      {(prefix === "caps" ? WINDOWS : TOKEN_CAPS).map((name) => (
        <MoneyField key={name} id={`${prefix}-${name}`} label={say(name)} value={caps?.[name] ?? null} />
      ))}
    </>
  );
}

/** An empty field removes the cap. */
export function capsIn(form: HTMLFormElement, prefix: CapFieldsProps["prefix"]) {
  const names = prefix === "caps" ? WINDOWS : TOKEN_CAPS;
  return Object.fromEntries(names.map((name) => [name, microIn(valueOf(form, `${prefix}-${name}`))]));
}

function alertsIn(text: string): number[] {
  return text
    .split(",")
    .filter((part) => part.trim() !== "")
    .map(Number);
}

interface SpendingProps extends Pick<Wallet, "caps" | "spent"> {
  /** When the spend was read, milliseconds since 1970. */
  readonly at: number;
}

export function Spending({ caps, spent, at }: SpendingProps) {
  const { per_charge_micro: most, per_day_micro: daily, per_month_micro: monthly, total_micro: total } = caps;
  const [dayEnds, monthEnds] = windowEnds(at);
  return (
    <Pairs
      pairs={[
        [say("perDecision"), most === null ? say("noLimit") : say("atMost", { amount: format.euro(most) })],
        [say("today"), <Window key="day" used={spent.day_micro} cap={daily} resets={dayEnds} />],
        [say("thisMonth"), <Window key="month" used={spent.month_micro} cap={monthly} resets={monthEnds} />],
        ...(total === null
          ? []
          : [[say("inAll"), <Window key="total" used={spent.total_micro} cap={total} />] as const]),
      ]}
    />
  );
}

/** Windows are UTC days and months. */
function windowEnds(at: number): readonly [day: number, month: number] {
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return [Date.UTC(year, month, date.getUTCDate() + 1), Date.UTC(year, month + 1)];
}

interface WindowProps {
  readonly used: number;
  readonly cap: number | null;
  /** Milliseconds since 1970; absent for a cap without windows. */
  readonly resets?: number;
}

function Window({ used, cap, resets }: WindowProps) {
  if (cap === null) return <>{say("spentNoLimit", { spent: format.euro(used) })}</>;
  const text = say("spentOf", { spent: format.euro(used), cap: format.euro(cap) });
  return (
    <>
      {text}
      <meter min={0} max={Math.max(cap, 1)} value={used} aria-label={text} />
      {resets !== undefined && <span class="soft small">{say("resets", { time: format.utcTime(resets) })}</span>}
    </>
  );
}
