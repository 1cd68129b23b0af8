import { ago, duration, money, sha } from "../labels/format.ts";
import { useNow } from "./watch.ts";
import { CopyButton } from "./copy.tsx";
import { locale, t } from "../i18n.ts";

const EXACT = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });

export function Ago({ at }: { readonly at: string | null }) {
  const now = useNow();
  if (at === null) return <span className="soft">{t("never")}</span>;
  return (
    <time dateTime={at} title={EXACT.format(Date.parse(at))}>
      {ago(Date.parse(at), now)}
    </time>
  );
}

export function Clock({ at }: { readonly at: string }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={EXACT.format(date)}>
      {date.toTimeString().slice(0, 8)}
    </time>
  );
}

export function Duration({ ms }: { readonly ms: number | null }) {
  return <>{ms === null ? "–" : duration(ms)}</>;
}

export function Money({ micro }: { readonly micro: number | null }) {
  return micro === null ? (
    <span title={t("The agent did not report its cost")}>{t("unknown")}</span>
  ) : (
    <>{money(micro)}</>
  );
}

export function Sha({ value, name = t("commit") }: { readonly value: string; readonly name?: string }) {
  return (
    <span className="sha">
      <code title={value}>{sha(value)}</code>
      <CopyButton text={value} name={name} isBare />
    </span>
  );
}

/** Links only to http and https, with a visible host. */
export function ExternalLink({ href, children }: { readonly href: string; readonly children?: React.ReactNode }) {
  const host = hostOf(href);
  if (host === null) return <span>{href}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children} <span className="host">{host}</span>
    </a>
  );
}

export function hostOf(href: string): string | null {
  const url = URL.parse(href);
  return url !== null && /^https?:$/.test(url.protocol) ? url.host : null;
}

export function DefinitionPair({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
