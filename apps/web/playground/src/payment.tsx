/** The cost of a decision, and the next steps if it could not be paid. */
import type { ProblemError } from "@triptych/client";
import { Pairs } from "../../shared/components.tsx";
import type { Decision } from "./api.ts";
import { decisions, euro } from "./format.ts";

interface PaymentProps {
  readonly rail: string;
  readonly priceMicro: number;
  readonly decision: Decision;
}

export function Payment({ rail, priceMicro, decision: { text, headers } }: PaymentProps) {
  const receipt = headers.get("X-Rail-Receipt");
  const balance = Number(headers.get("X-Meter-Balance-Micro"));
  const proof = new URLSearchParams({ receipt: receipt ?? "", answer: text });
  return (
    <div id="payment">
      <h2>Paid</h2>
      <Pairs
        pairs={[
          ["Price", euro(priceMicro)],
          ["Balance", `${decisions(Number(headers.get("X-Meter-Remaining")))}, ${euro(balance)}`],
          ["Charge", headers.get("X-Rail-Charge") ?? "none"],
        ]}
      />
      {receipt !== null && (
        <>
          <p class="proof">
            {/* In the fragment, which browsers do not send. */}
            <a id="verify" href={`${rail}/verify#${proof}`} target="_blank" rel="noopener">
              Verify the receipt
            </a>{" "}
            <span class="soft">signed; covers this request and this response</span>
          </p>
          <details>
            <summary>Receipt</summary>
            <pre id="receipt" tabIndex={0}>
              {receipt}
            </pre>
          </details>
        </>
      )}
    </div>
  );
}

/** After a 402. */
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
        {isEmpty ? "Insufficient balance." : message}
      </p>
      {isEmpty ? (
        <ol id="steps">
          <li>Open your wallet at {page}.</li>
          <li>Top it up.</li>
          <li>Come back and decide again.</li>
        </ol>
      ) : (
        <ol id="steps">
          <li>Create a wallet at {page}. It is free and includes credit.</li>
          <li>Copy its token, which is displayed only once, into the field “Wallet token”.</li>
          <li>Decide again.</li>
        </ol>
      )}
      <p>
        <a href={`/problems/${code}`}>About {code}</a>
      </p>
    </>
  );
}
