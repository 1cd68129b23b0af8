/** `/verify`: checks receipts and chains in the browser, from published keys. It has no token and sends no pasted text. */
import { verifyChain, type ChainReport } from "@triptych/client/entry-chain";
import { canVerify, digest, keysOf, verifyReceipt, type Claims, type Verdict } from "@triptych/client/receipt.js";
import { useEffect, useState } from "preact/hooks";
import { CopyButton, onSubmit, Pairs, valueOf } from "../../shared/components.tsx";
import { useAction } from "../../shared/hooks.ts";
import { rail } from "./api.ts";
import { COPY, Frame } from "./frame.tsx";
import { readEntries } from "./read-entries.ts";
import { ChainVerdict, Mark } from "./verdicts.tsx";
import { format, problemText, say } from "./words.ts";

export function VerifyPage() {
  const [isAble, setAble] = useState<boolean | null>(null);
  useEffect(() => void canVerify().then(setAble), []);
  return (
    <Frame title={say("receiptsTitle")}>
      <h1>{say("verify")}</h1>
      <p class="lead">
        {say("verifyLead")} <a href="/.well-known/jwks.json">{say("publishedKeys")}</a>
      </p>
      {isAble === false && (
        <div id="unable" class="notice">
          <p>
            <strong>{say("unable")}</strong> {say("unableWhy")}
          </p>
        </div>
      )}
      <ReceiptSection isAble={isAble === true} />
      <ChainSection isAble={isAble === true} />
      <section aria-labelledby="shell-title">
        <h2 id="shell-title">{say("commandLine")}</h2>
        <Command text={`triptych rail receipt verify "$RECEIPT" --jwks ${location.origin}/.well-known/jwks.json`} />
        <Command text="triptych rail receipt chain entries.ndjson" />
      </section>
    </Frame>
  );
}

function Command({ text }: { readonly text: string }) {
  return (
    <>
      <pre>{text}</pre>
      <div class="together">
        <CopyButton text={text} labels={COPY} />
      </div>
    </>
  );
}

interface PastedReceipt {
  readonly receipt: string;
  readonly answer: string;
}

/** A receipt may be in the fragment of the URL, which browsers do not send; it is removed from the address. */
function takeReceipt(): PastedReceipt | null {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const receipt = fragment.get("receipt");
  if (receipt === null) return null;
  history.replaceState(null, "", location.pathname + location.search);
  return { receipt, answer: fragment.get("answer") ?? "" };
}

interface Result {
  readonly verdict: Verdict;
  /** Null without a response to compare. */
  readonly matches: boolean | null;
}

function ReceiptSection({ isAble }: { readonly isAble: boolean }) {
  const [pasted, setPasted] = useState<PastedReceipt | null>(takeReceipt);
  const [result, setResult] = useState<Result | null>(null);
  const action = useAction();
  const prove = ({ receipt, answer }: PastedReceipt) =>
    action.run(async () => {
      setResult(null);
      const verdict = await verifyReceipt(receipt.trim(), keysOf(await rail.keys()));
      const compared = verdict.good && answer !== "" ? await digest(new TextEncoder().encode(answer)) : null;
      setResult({ verdict, matches: compared && verdict.good ? compared === verdict.claims.res : null });
    });
  useEffect(() => {
    const take = () => setPasted((before) => takeReceipt() ?? before);
    addEventListener("hashchange", take);
    return () => removeEventListener("hashchange", take);
  }, []);
  useEffect(() => {
    if (isAble && pasted !== null) void prove(pasted);
  }, [isAble, pasted]);
  /** A verdict belongs to the text that was verified. */
  const clear = () => {
    setResult(null);
    action.reset();
  };
  return (
    <section aria-labelledby="receipt-title">
      <h2 id="receipt-title">{say("receipt")}</h2>
      <form
        id="receipt-form"
        class="stack"
        onSubmit={onSubmit(
          (form) => void prove({ receipt: valueOf(form, "receipt"), answer: valueOf(form, "answer") }),
        )}
      >
        <div>
          <label for="receipt">
            {say("receiptLabel")} <code>X-Rail-Receipt</code>
          </label>
          <textarea
            id="receipt"
            rows={5}
            maxLength={4000}
            autocomplete="off"
            spellcheck={false}
            required
            defaultValue={pasted?.receipt ?? ""}
            onInput={clear}
          />
        </div>
        <div>
          <label for="answer">{say("answerLabel")}</label>
          <textarea
            id="answer"
            rows={2}
            autocomplete="off"
            spellcheck={false}
            defaultValue={pasted?.answer ?? ""}
            onInput={clear}
          />
        </div>
        <button class="primary" disabled={!isAble || action.busy}>
          {say("verify")}
        </button>
      </form>
      <div id="verdict" role="status" class="verdict">
        {action.error !== null && <Mark kind="unsure" label={say("notChecked")} text={problemText(action.error)} />}
        {result !== null && <ReceiptVerdict {...result} />}
      </div>
    </section>
  );
}

function ReceiptVerdict({ verdict, matches }: Result) {
  if (!verdict.good) {
    const isUnknown = verdict.error === "key_unknown";
    const label = say(isUnknown ? "keyUnknown" : "invalid");
    return <Mark kind={isUnknown ? "unsure" : "bad"} label={label} text={say(`receipt_${verdict.error}`)} />;
  }
  if (matches === false) return <Mark kind="bad" label={say("invalid")} text={say("otherResponse")} />;
  return (
    <>
      <Mark kind="good" label={say("valid")} text={say(matches === null ? "signed" : "signedMatches")} />
      <Pairs pairs={claimPairs(verdict.claims, verdict.kid)} />
      <p class="why soft">{say("laterRefund")}</p>
    </>
  );
}

function claimPairs(claims: Claims, kid: string): readonly (readonly [string, string])[] {
  const { jti, sub, tok, iat, op, amt, bal, seq, req, res, iss } = claims;
  return [
    [say("charge"), jti],
    [say("wallet"), sub],
    ...(tok === undefined ? [] : [[say("agentToken"), tok] as const]),
    [say("date"), format.time(new Date(iat * 1000).toISOString())],
    [say("operation"), op],
    [say("amountColumn"), format.euro(amt)],
    [say("balanceAfter"), say("balanceAtEntry", { balance: format.euro(bal), seq: String(seq) })],
    [say("request"), req ?? say("none")],
    [say("response"), res ?? say("none")],
    ["Rail", iss],
    [say("key"), kid],
  ];
}

function ChainSection({ isAble }: { readonly isAble: boolean }) {
  const [report, setReport] = useState<ChainReport | string | null>(null);
  const action = useAction();
  const check = (text: string) =>
    action.run(async () => {
      const { entries, wrongLine } = readEntries(text);
      if (wrongLine !== null) setReport(wrongLine === 0 ? say("notEntries") : say("notEntry", { line: wrongLine }));
      else setReport(entries.length === 0 ? say("noEntriesFound") : await verifyChain(entries));
    });
  return (
    <section aria-labelledby="chain-title">
      <h2 id="chain-title">{say("chain")}</h2>
      <form id="chain-form" class="stack" onSubmit={onSubmit((form) => void check(valueOf(form, "chain")))}>
        <div>
          <label for="chain">{say("chainLabel")}</label>
          <textarea
            id="chain"
            rows={5}
            autocomplete="off"
            spellcheck={false}
            required
            aria-describedby="chain-why"
            onInput={() => setReport(null)}
          />
          <p id="chain-why" class="why soft">
            {say("chainWhy")}
          </p>
        </div>
        <button disabled={!isAble || action.busy}>{say("verifyChain")}</button>
      </form>
      <div id="chain-verdict" role="status" class="verdict">
        {typeof report === "string" && <Mark kind="unsure" label={say("notChecked")} text={report} />}
        {report !== null && typeof report === "object" && <ChainVerdict report={report} />}
        {action.error !== null && <Mark kind="unsure" label={say("notChecked")} text={problemText(action.error)} />}
      </div>
    </section>
  );
}
