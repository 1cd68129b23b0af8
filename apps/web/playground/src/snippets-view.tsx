/** The request as a program to copy. */
import { useState } from "preact/hooks";
import { CopyButton } from "../../shared/components.tsx";
import { SNIPPET_LANGUAGES, snippetOf, type SnippetLanguage, type SnippetRequest } from "./snippets.ts";
import { say } from "./words.ts";

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
        {say("inYourCode")}
        {title !== null && <span class="soft"> {title}</span>}
      </h2>
      <div class="together" role="group" aria-label={say("language")}>
        {SNIPPET_LANGUAGES.map((name) => (
          <button key={name} type="button" aria-pressed={name === language} onClick={() => setLanguage(name)}>
            {name}
          </button>
        ))}
      </div>
      <pre id="curl" tabIndex={0} aria-label={say("requestAs", { language })}>
        {text}
      </pre>
      <div class="together">
        {/* The key clears the status when the text changes. */}
        <CopyButton
          key={text}
          id="copy"
          text={text}
          labels={{
            copy: say("copyAs", { language }),
            copied: say("copiedAs", { language }),
            failed: say("copyFailed"),
          }}
        />
      </div>
    </div>
  );
}
