import { AUTO_TOPUPS_PER_MONTH_MAX, TOPUP_MAX_MICRO, TOPUP_STEP_MICRO } from "@triptych/contracts/plain";
import { onSubmit, valueOf } from "../../shared/components.tsx";
import { useAction } from "../../shared/hooks.ts";
import type { Wallet, Session } from "./api.ts";
import { centsIn, MoneyField, Refused } from "./frame.tsx";
import { format, say } from "./words.ts";

const USUAL = { threshold_micro: 2_000_000, amount_micro: 10_000_000, max_per_month: 3 };
type Setting = NonNullable<Wallet["auto_topup"]>;

export function AutoTopUp({ session, minimumMicro }: { readonly session: Session; readonly minimumMicro: number }) {
  const { api, wallet, refresh } = session;
  const setting = wallet.auto_topup;
  const { threshold_micro, amount_micro, max_per_month } = setting ?? USUAL;
  const action = useAction();
  const save = (form: HTMLFormElement | null) =>
    action.run(async () => {
      await api.change({
        auto_topup: form && {
          threshold_micro: centsIn(valueOf(form, "auto-threshold")),
          amount_micro: centsIn(valueOf(form, "auto-amount")),
          max_per_month: Number(valueOf(form, "auto-most")),
        },
      });
      await refresh();
    });
  return (
    <section aria-labelledby="auto-title">
      <h2 id="auto-title">{say("autoTopUp")}</h2>
      <p id="auto-state" role="status">
        {setting === null ? say("autoOff") : stateOf(setting)}
      </p>
      {/* The key renews the fields when another setting is saved. */}
      <form key={JSON.stringify(setting)} onSubmit={onSubmit((form) => void save(form))}>
        <div class="fields">
          <MoneyField
            id="auto-threshold"
            label={say("autoBelow")}
            value={threshold_micro}
            min={TOPUP_STEP_MICRO}
            max={TOPUP_MAX_MICRO}
            isPayment
          />
          <MoneyField
            id="auto-amount"
            label={say("autoAdd")}
            value={amount_micro}
            min={minimumMicro}
            max={TOPUP_MAX_MICRO}
            isPayment
          />
          <div>
            <label for="auto-most">{say("autoMost")}</label>
            <input
              id="auto-most"
              type="number"
              min={1}
              max={AUTO_TOPUPS_PER_MONTH_MAX}
              step={1}
              defaultValue={String(max_per_month)}
              required
            />
          </div>
        </div>
        <div class="together">
          <button id="auto-on" disabled={action.busy}>
            {say(setting === null ? "switchOn" : setting.status === "stopped" ? "switchOnAgain" : "save")}
          </button>
          {setting !== null && (
            <button id="auto-off" type="button" disabled={action.busy} onClick={() => void save(null)}>
              {say("switchOff")}
            </button>
          )}
        </div>
        <p class="why soft">{say("autoWhy")}</p>
      </form>
      <Refused id="auto-refused" error={action.error} />
    </section>
  );
}

function stateOf({ status, amount_micro, threshold_micro, stop_reason, stopped_at }: Setting): string {
  const values = { amount: format.euro(amount_micro), threshold: format.euro(threshold_micro) };
  if (status === "active") return say("autoActive", values);
  if (status === "needs_payment_method") return say("autoWaits", values);
  const day = stopped_at === null ? "" : format.day(stopped_at);
  return say("autoStopped", { day, reason: say(`stop_${stop_reason ?? "declined"}`) });
}
