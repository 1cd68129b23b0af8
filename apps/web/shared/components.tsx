/** Parts of every page: header, copy button, confirmation, pairs of name and value, text with code. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Language } from "./i18n.ts";

const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { fr: "Français", en: "English" };

interface HeaderProps {
  /** The name of the service; its first word is the product. */
  readonly title: string;
  readonly links: readonly (readonly [path: string, label: string])[];
  readonly language: Language;
  readonly labels: { readonly pages: string; readonly languages: string };
  /** Between the name and the links. */
  readonly children?: ComponentChildren;
}

/** `/docs/theme.js` adds the choice of a theme. */
export function SiteHeader({ title, links, language, labels, children }: HeaderProps) {
  const [brand, ...name] = title.split(" ");
  const isChosen = new URLSearchParams(location.search).has("lang");
  const link = (path: string) => (isChosen ? `${path}?lang=${language}` : path);
  return (
    <header class="bar">
      <a class="brand" href={link("/")}>
        {brand} <b>{name.join(" ")}</b>
      </a>
      {children}
      <nav aria-label={labels.pages}>
        {links.map(([path, label]) => (
          <a key={path} href={link(path)} aria-current={path === location.pathname ? "page" : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <nav class="languages-nav" aria-label={labels.languages}>
        {(["fr", "en"] as const).map((name) => (
          <a
            key={name}
            href={`${location.pathname}?lang=${name}`}
            lang={name}
            hreflang={name}
            aria-current={name === language ? "true" : undefined}
          >
            {LANGUAGE_NAMES[name]}
          </a>
        ))}
      </nav>
    </header>
  );
}

interface CopyProps {
  readonly id?: string;
  readonly text: string;
  readonly labels: { readonly copy: string; readonly copied: string; readonly failed: string };
}

export function CopyButton({ id, text, labels }: CopyProps) {
  const [status, setStatus] = useState("");
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setStatus(labels.copied),
      () => setStatus(labels.failed),
    );
  return (
    <>
      <button id={id} type="button" onClick={copy}>
        {labels.copy}
      </button>
      <span id={id && `${id}-status`} role="status" class="small soft">
        {status}
      </span>
    </>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly text: string;
  readonly labels: { readonly yes: string; readonly no: string };
  readonly onDone: (isConfirmed: boolean) => void;
}

export function Confirm({ title, text, labels, onDone }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Opened before the next event, so that a key pressed right after the click goes to the dialog.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="confirm-title"
      onClose={({ currentTarget }) => onDone(currentTarget.returnValue === "yes")}
    >
      <form method="dialog">
        <h2 id="confirm-title">{title}</h2>
        <p>{text}</p>
        <div class="together">
          <button id="confirm-yes" value="yes" class="primary">
            {labels.yes}
          </button>
          <button value="no">{labels.no}</button>
        </div>
      </form>
    </dialog>
  );
}

export function Pairs({ pairs }: { readonly pairs: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="pairs">
      {pairs.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The value of a field by its ID. Fields have no name, so that no form can put one into a URL. */
export function valueOf(form: HTMLFormElement, id: string): string {
  const field = form.elements.namedItem(id);
  return field !== null && "value" in field ? field.value : "";
}

/** Submits without leaving the page. */
export function onSubmit(act: (form: HTMLFormElement) => void) {
  return (event: SubmitEvent) => {
    event.preventDefault();
    if (event.currentTarget instanceof HTMLFormElement) act(event.currentTarget);
  };
}
