/** The playground. Free decisions update while you type; paid ones wait for the button. */
import { ProblemError } from "@triptych/client";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { SiteHeader } from "../../shared/components.tsx";
import { AnswerView } from "./answer.tsx";
import { createApi, type Decision, type Expert, type Service } from "./api.ts";
import { Comparison } from "./comparison.tsx";
import { Credential, storedToken, storeToken } from "./credential.tsx";
import { deciderTitle, FIRST_FORM, RequestForm } from "./form.tsx";
import { Payment, PaymentSteps } from "./payment.tsx";
import { bodyOf, choosesRoute, decidedText, type Form } from "./request.ts";
import { Snippets } from "./snippets-view.tsx";
import type { SnippetRequest } from "./snippets.ts";
import { language, say } from "./words.ts";

const TYPING_MS = 120;
const EVIDENCE = 32;

type Result =
  | { readonly kind: "none" | "waiting" }
  /** Decisions of one expert or two, with the form that they belong to. */
  | { readonly kind: "decided"; readonly form: Form; readonly decisions: readonly Decision[] }
  | { readonly kind: "failed"; readonly error: unknown };

export function Header({ service }: { readonly service: Service | null }) {
  const links = [
    ["/playground", say("playground")] as const,
    ...(service?.paid == null ? [] : [["/pricing", say("prices")] as const]),
    ["/docs", say("docs")] as const,
  ];
  return (
    <>
      <a class="skip" href="#answer">
        {say("skip")}
      </a>
      <SiteHeader
        title={service?.title ?? "Triptych"}
        links={links}
        language={language}
        labels={{ pages: say("pages"), languages: say("languages") }}
      />
    </>
  );
}

export function Playground({ service }: { readonly service: Service }) {
  const { paid } = service;
  const [form, setForm] = useState(FIRST_FORM);
  const [token, setToken] = useState(() => storedToken(service));
  const [isStored, setStored] = useState(token !== "");
  const [isTokenRequired, requireToken] = useState(paid !== null);
  const [experts, setExperts] = useState<readonly Expert[]>([]);
  const [result, setResult] = useState<Result>({ kind: "none" });
  const tokenNow = useRef(token);
  tokenNow.current = token.trim();
  const running = useRef<AbortController | null>(null);
  const api = useMemo(() => createApi(service, () => tokenNow.current), [service]);

  /** Optional: without the list the router chooses the expert, and the next decision loads it again. */
  async function loadExperts(): Promise<void> {
    if (experts.length === 0) setExperts(await api.experts().catch(() => []));
  }

  async function decide(requested: Form): Promise<void> {
    if (requested.text.trim() === "") return;
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    if (paid !== null) setResult({ kind: "waiting" });
    try {
      const decisions = await Promise.all(
        bodiesOf(requested).map((body) => api.decide(requested.operation, { ...body, explain: EVIDENCE }, own.signal)),
      );
      if (own.signal.aborted) return;
      setResult({ kind: "decided", form: requested, decisions });
      if (paid !== null) {
        storeToken(tokenNow.current);
        setStored(true);
      }
      void loadExperts();
    } catch (error) {
      // A newer request is in progress; its response will be displayed.
      if (own.signal.aborted) return;
      if (paid === null && error instanceof ProblemError && error.status === 401) requireToken(true);
      setResult({ kind: "failed", error });
    }
  }

  useEffect(() => {
    if (paid !== null) return;
    const typing = setTimeout(() => void decide(form), TYPING_MS);
    return () => clearTimeout(typing);
  }, [form, token]);
  useEffect(() => {
    if (paid !== null) void loadExperts();
  }, []);

  const credential = isTokenRequired && (
    <Credential
      paid={paid}
      token={token}
      isStored={isStored}
      onChange={setToken}
      onForget={() => {
        setToken("");
        setStored(false);
      }}
    />
  );
  return (
    <>
      <div class="head">
        <h1>{say("playground")}</h1>
        <p class="soft">{leadOf(service)}</p>
      </div>
      <RequestForm
        form={form}
        experts={experts}
        paid={paid}
        credential={credential}
        onChange={(change) => setForm((before) => ({ ...before, ...change }))}
        onSubmit={() => void decide(form)}
      />
      <section id="answer" aria-label={say("decision")} aria-live="polite">
        <div id="refused" class="refused" role="alert">
          {result.kind === "waiting" ? "…" : result.kind === "failed" ? reasonOf(result.error, paid) : null}
        </div>
        <div id="decision" hidden={result.kind !== "decided"}>
          {result.kind === "decided" && <Decided {...result} paid={paid} />}
        </div>
        <Snippets
          of={snippetRequest(form, { paid, hasToken: token !== "" })}
          title={bodiesOf(form).length > 1 ? deciderTitle(form.decider) : null}
        />
      </section>
    </>
  );
}

/** One body for each compared expert. */
function bodiesOf(form: Form): readonly object[] {
  const { otherDecider } = form;
  if (otherDecider === null || !choosesRoute(form.operation)) return [bodyOf(form)];
  return [bodyOf(form), bodyOf({ ...form, decider: otherDecider })];
}

function Decided({ form, decisions, paid }: Extract<Result, { kind: "decided" }> & Pick<Service, "paid">) {
  const [decision] = decisions;
  if (decision === undefined) return null;
  if (decisions.length > 1) {
    const titles = [form.decider, form.otherDecider ?? ""].map(deciderTitle);
    const sides = decisions.map((side, index) => ({ title: titles[index] ?? "", decision: side }));
    return <Comparison sides={sides} priceMicro={paid?.price_micro ?? null} />;
  }
  const payment = paid !== null && <Payment rail={paid.rail} priceMicro={paid.price_micro} decision={decision} />;
  return <AnswerView text={decidedText(form)} answer={decision.answer} payment={payment} />;
}

function reasonOf(error: unknown, paid: Service["paid"]): ComponentChildren {
  if (!(error instanceof ProblemError)) return say("away");
  if (error.status === 402 && paid !== null) return <PaymentSteps rail={paid.rail} error={error} />;
  if (error.status === 401 && paid === null) return say("needsToken");
  const issues = error.errors.map(({ path, message }) => `${path}: ${message}`);
  return issues.length > 0 ? issues.join("\n") : error.message;
}

interface SnippetFacts extends Pick<Service, "paid"> {
  readonly hasToken: boolean;
}

/** The request to the first expert, if two are compared. */
function snippetRequest(form: Form, { paid, hasToken }: SnippetFacts): SnippetRequest {
  const router = hasToken ? { header: "Authorization", scheme: "Bearer ", variable: "ROUTER_TOKEN" } : null;
  return {
    url: `${location.origin}/v1/${form.operation}`,
    body: bodyOf(form),
    credential: paid === null ? router : { header: "X-Rail-Wallet", scheme: "", variable: "WALLET_TOKEN" },
  };
}

function leadOf({ paid }: Service): string {
  return say(paid === null ? "leadFree" : "leadPaid");
}
