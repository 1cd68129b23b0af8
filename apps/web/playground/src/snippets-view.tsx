/** The request as a program to copy. */
import { useEffect, useState } from "preact/hooks";
import { SNIPPET_LANGUAGES, snippetOf, type SnippetLanguage, type SnippetRequest } from "./snippets.ts";

interface SnippetsProps {
  readonly of: SnippetRequest;
  /** Whose request it is, if two experts are compared. */
  readonly title: string | null;
}

export function Snippets({ of, title }: SnippetsProps) {
  const [language, setLanguage] = useState<SnippetLanguage>("curl");
  const [notice, setNotice] = useState("");
  const text = snippetOf(language, of);
  useEffect(() => setNotice(""), [text]);

  async function copy(): Promise<void> {
    const done = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    setNotice(done ? `Copied as ${language}.` : "Your browser blocked copying: select the text instead.");
  }

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
        <button id="copy" type="button" onClick={() => void copy()}>
          Copy as {language}
        </button>{" "}
        <span id="copied" class="small soft" role="status">
          {notice}
        </span>
      </div>
    </div>
  );
}
