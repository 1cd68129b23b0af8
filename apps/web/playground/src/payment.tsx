/** The cost of a decision, and the next steps if it could not be paid. */
import type { ProblemError } from "@triptych/client";
import { Pairs } from "../../shared/components.tsx";
import type { Decision } from "./api.ts";
import { euro, say } from "./words.ts";

interface PaymentProps {
  readonly rail: string;
  readonly priceMicro: number;
  readonly decision: Decision;
}

export function Payment({ rail, priceMicro, decision: { text, headers } }: PaymentProps) {
  const receipt = headers.get("X-Rail-Receipt");
  const remaining = Number(headers.get("X-Meter-Remaining"));
  const balance = Number(headers.get("X-Meter-Balance-Micro"));
  const proof = new URLSearchParams({ receipt: receipt ?? "", answer: text });
  return (
    <div id="payment">
      <h2>{say("paid")}</h2>
      <Pairs
        pairs={[
          [say("price"), euro(priceMicro)],
          [say("balance"), `${say("decisions", { count: remaining })}, ${euro(balance)}`],
          [say("charge"), headers.get("X-Rail-Charge") ?? say("none")],
        ]}
      />
      {receipt !== null && (
        <>
          <p class="proof">
            {/* In the fragment, which browsers do not send. */}
            <a id="verify" href={`${rail}/verify#${proof}`} target="_blank" rel="noopener">
              {say("verifyReceipt")}
            </a>{" "}
            <span class="soft">{say("receiptCovers")}</span>
          </p>
          <details>
            <summary>{say("receipt")}</summary>
            <pre id="receipt" tabIndex={0}>
              {receipt}
            </pre>
          </details>
        </>
      )}
    </div>
  );
}

/** The steps that a 402 requires. */
export function PaymentSteps({ rail, error }: { readonly rail: string; readonly error: ProblemError }) {
  const { code, body, message } = error;
  const isEmpty = code === "wallet_empty";
  const page = (
    <a href={`${rail}/wallet`} target="_blank" rel="noopener">
      {new URL(rail).host}/wallet
    </a>
  );
  return (
    <>
      <p>
        <strong>{body.title} (402). </strong>
        {isEmpty ? say("emptyWallet") : message}
      </p>
      {isEmpty ? (
        <ol id="steps">
          <li>
            {say("openWallet")} {page}
          </li>
          <li>{say("topUp")}</li>
          <li>{say("decideAgain")}</li>
        </ol>
      ) : (
        <ol id="steps">
          <li>
            {say("newWallet")} {page}
          </li>
          <li>{say("copyToken")}</li>
          <li>{say("decideAgain")}</li>
        </ol>
      )}
      <p>
        <a href={`/problems/${code}`}>{say("about", { code })}</a>
      </p>
    </>
  );
}
