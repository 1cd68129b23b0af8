/**
 * `/wallet/link`: the target of mail links. The code is in the fragment, which browsers do not send, and is removed
 * from the address first. It is redeemed by a button, because link scanners open links before people do.
 */
import { useState } from "preact/hooks";
import { CopyButton } from "../../shared/components.tsx";
import { useAction } from "../../shared/hooks.ts";
import { rail } from "./api.ts";
import { COPY, Frame, Refused } from "./frame.tsx";
import { say } from "./words.ts";

type Outcome = { readonly text: string; readonly token?: string };

export function LinkPage() {
  const [[purpose, code]] = useState(takeCode);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const action = useAction();
  const use = () =>
    action.run(async () => {
      if (purpose === "recover") setOutcome({ text: say("recovered"), token: (await rail.redeem(code)).wallet_token });
      if (purpose !== "verify") return;
      const { starter_credit: credit } = await rail.verify(code);
      setOutcome({ text: say("verified", { status: say(`starter_${credit.status}`) }) });
    });
  return (
    <Frame title={say("linkTitle")}>
      <section class="link" aria-labelledby="what">
        <h1 id="what">{say(purpose === null ? "linkTitle" : `${purpose}Title`)}</h1>
        <p id="why">{say(purpose === null ? "linkIncomplete" : `${purpose}Why`)}</p>
        {purpose !== null && outcome === null && (
          <button id="go" type="button" class="primary" disabled={action.busy} onClick={() => void use()}>
            {say(`${purpose}Action`)}
          </button>
        )}
        <p id="outcome" class="said" role="status">
          {outcome?.text}
        </p>
        {outcome?.token !== undefined && (
          <>
            <pre id="shown" class="secret">
              {outcome.token}
            </pre>
            <CopyButton text={outcome.token} labels={COPY} />
          </>
        )}
        <Refused id="link-refused" error={action.error} />
      </section>
    </Frame>
  );
}

function takeCode(): readonly [purpose: "recover" | "verify" | null, code: string] {
  const [name, code = ""] = location.hash.slice(1).split("=");
  history.replaceState(null, "", location.pathname + location.search);
  return [code !== "" && (name === "recover" || name === "verify") ? name : null, code];
}
