/** A test payment settles immediately; other providers return a checkout link, or the operator settles it. */
import { useState } from "preact/hooks";
import { onSubmit, valueOf } from "../../shared/components.tsx";
import { useAction, useRequestKey } from "../../shared/hooks.ts";
import type { Catalog, Topup, Session } from "./api.ts";
import { centsIn, MoneyField, Refused } from "./frame.tsx";
import { format, say } from "./words.ts";

const USUAL_MICRO = 5_000_000;
const HOW = { test: "topUpTest", manual: "topUpManual", stripe: "topUpStripe" } as const;

export function TopUp({ session, topup }: { readonly session: Session; readonly topup: Catalog["topup"] }) {
  const { api, refresh } = session;
  const [created, setCreated] = useState<Topup | null>(null);
  const action = useAction();
  const request = useRequestKey();
  const pay = (micro: number) =>
    action.run(async () => {
      const made = await api.topUp(micro, request.keyOf(micro));
      request.done();
      setCreated(made);
      if (made.status === "succeeded") await refresh();
    });
  return (
    <section aria-labelledby="topup-title">
      <h2 id="topup-title">{say("topUp")}</h2>
      <form onSubmit={onSubmit((form) => void pay(centsIn(valueOf(form, "topup-amount"))))}>
        <div class="fields">
          <MoneyField
            id="topup-amount"
            label={say("amount")}
            value={Math.max(USUAL_MICRO, topup.min_micro)}
            min={topup.min_micro}
            max={topup.max_micro}
            isPayment
          />
          <button id="topup-button" class="primary" disabled={action.busy}>
            {say("topUp")}
          </button>
        </div>
        <p class="why soft">{say(HOW[topup.provider])}</p>
      </form>
      <p id="topup-said" class="said" role="status">
        {created !== null && <Outcome topup={created} />}
      </p>
      <Refused id="topup-refused" error={action.error} />
    </section>
  );
}

function Outcome({ topup }: { readonly topup: Topup }) {
  const { status, amount_micro, checkout_url, topup_id: id } = topup;
  const amount = format.euro(amount_micro);
  if (status === "succeeded") return <>{say("topUpDone", { amount })}</>;
  if (checkout_url === null) return <>{say("topUpWaits", { id })}</>;
  const url = URL.canParse(checkout_url) ? new URL(checkout_url) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return <>{say("noCheckout")}</>;
  return (
    <>
      <a href={url.href} rel="noopener noreferrer">
        {say("payOn", { amount, host: url.host })}
      </a>{" "}
      {say("balanceFollows")}
    </>
  );
}
