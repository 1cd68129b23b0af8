/** What the wallet pages share. */
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { SiteHeader } from "../../shared/components.tsx";
import { language, problemText, say } from "./words.ts";

export const COPY = { copy: say("copy"), copied: say("copied"), failed: say("copyFailed") };

const MICRO = 1_000_000;

interface FrameProps {
  readonly title: string;
  readonly isTest?: boolean;
  readonly children: ComponentChildren;
}

export function Frame({ title, isTest = false, children }: FrameProps) {
  useEffect(() => {
    document.title = title;
  }, [title]);
  const links = [
    ["/wallet", say("wallet")] as const,
    ["/verify", say("verify")] as const,
    ["/docs", say("docs")] as const,
  ];
  return (
    <>
      <a class="skip" href="#main">
        {say("skip")}
      </a>
      <SiteHeader
        title="Triptych rail"
        links={links}
        language={language}
        labels={{ pages: say("pages"), languages: say("languages") }}
      >
        {isTest && <span class="badge">{say("testMode")}</span>}
      </SiteHeader>
      <main id="main" class="column roomy">
        {children}
      </main>
    </>
  );
}

/** Present even when empty, so that screen readers announce its text. */
export function Refused({ id, error }: { readonly id: string; readonly error: unknown }) {
  return (
    <p id={id} class="refused" role="alert">
      {error === null ? "" : problemText(error)}
    </p>
  );
}

interface MoneyFieldProps {
  readonly id: string;
  readonly label: string;
  /** Micro-euros. */
  readonly value?: number | null;
  readonly min?: number;
  readonly max?: number;
  /** Whether the amount is required and in whole cents. */
  readonly isPayment?: boolean;
}

export function MoneyField({ id, label, value = null, min = 0, max, isPayment = false }: MoneyFieldProps) {
  const euros = value === null ? "" : isPayment ? (value / MICRO).toFixed(2) : String(value / MICRO);
  return (
    <div>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="number"
        inputMode="decimal"
        min={min / MICRO}
        max={max === undefined ? undefined : max / MICRO}
        step={isPayment ? "0.01" : "any"}
        defaultValue={euros}
        placeholder={isPayment ? "" : say("noLimit")}
        required={isPayment}
      />
    </div>
  );
}

/** Micro-euros; null for an empty field. */
export function microIn(text: string): number | null {
  return text === "" ? null : Math.round(Number(text) * MICRO);
}

/** Micro-euros, rounded to whole cents. */
export function centsIn(text: string): number {
  return Math.round(Number(text) * 100) * (MICRO / 100);
}
