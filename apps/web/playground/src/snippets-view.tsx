/** The request as a program to copy. */
import { useState } from "preact/hooks";
import { CopyButton } from "../../shared/components.tsx";
import { SNIPPET_LANGUAGES, snippetOf, type SnippetLanguage, type SnippetRequest } from "./snippets.ts";

interface SnippetsProps {
  readonly of: SnippetRequest;
  /** Whose request it is, if two experts are compared. */
  readonly title: string | null;
}

export function Snippets({ of, title }: SnippetsProps) {
  const [language, setLanguage] = useState<SnippetLanguage>("curl");
  const text = snippetOf(language, of);
  return (
    <div id="shell">
      <h2>
        Use it in your code
        {title !== null && <span class="soft"> {title}</span>}
      </h2>
      <div class="together" role="group" aria-label="Language">
        {SNIPPET_LANGUAGES.map((name) => (
          <button key={name} type="button" aria-pressed={name === language} onClick={() => setLanguage(name)}>
            {name}
          </button>
        ))}
      </div>
      <pre id="curl" tabIndex={0} aria-label={`Request as ${language}`}>
        {text}
      </pre>
      <div class="together">
        {/* The key clears the status when the text changes. */}
        <CopyButton
          key={text}
          id="copy"
          text={text}
          labels={{
            copy: `Copy as ${language}`,
            copied: `Copied as ${language}.`,
            failed: "Your browser blocked copying: select the text instead.",
          }}
        />
      </div>
    </div>
  );
}
