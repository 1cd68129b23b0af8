/** Under the list: saves all matches as a file, and shows the call to the API. */
import { byId, copyText } from "/docs/dom.js";
import type { Api } from "./api.ts";
import type { Translator } from "./i18n.ts";
import { apiFilters, formatFilters, type ViewState } from "./view-state.ts";

const FORMATS = ["csv", "geojson", "ndjson"] as const;
type Format = (typeof FORMATS)[number];
const TIMEOUT_MS = 600_000;

interface ToolsOptions {
  /** False before the first results. */
  state(): { readonly api: Api; readonly view: ViewState; readonly total: number } | false;
  onProblem(error: unknown, retry: () => void): void;
}

export function createTools({ say }: Translator, { state, onProblem }: ToolsOptions) {
  let call = "/api/items";
  const url = () => new URL(call, location.origin).href;
  const copy = async (text: string) => {
    byId("call-said", HTMLElement).textContent = say((await copyText(text)) ? "copied" : "copyFailed");
  };
  byId("copy-url", HTMLButtonElement).addEventListener("click", () => void copy(url()));
  byId("copy-curl", HTMLButtonElement).addEventListener(
    "click",
    () => void copy(`curl -H "Authorization: Bearer $DIRECTORY_KEY" "${url()}"`),
  );
  const buttons = FORMATS.map((format) => {
    const button = byId(`export-${format}`, HTMLButtonElement);
    button.addEventListener("click", () => void save(format));
    return button;
  });

  async function save(format: Format): Promise<void> {
    const current = state();
    if (current === false) return;
    const { api, view, total } = current;
    const statusLine = byId("export-said", HTMLElement);
    statusLine.textContent = say("exportBusy", { count: total });
    try {
      const { file, count } = await api.download(apiFilters(view), format, AbortSignal.timeout(TIMEOUT_MS));
      saveAs(`annuaire.${format}`, file);
      statusLine.textContent = say(count < total ? "exportShort" : "exportDone", { count, total });
    } catch (error) {
      statusLine.textContent = say("exportFailed");
      onProblem(error, () => void save(format));
    }
  }

  return {
    allow(allowed: boolean) {
      for (const button of buttons) button.disabled = !allowed;
    },
    showCall(params: URLSearchParams) {
      call = `/api/items${formatFilters(params)}`;
      byId("call", HTMLElement).textContent = `GET ${call}`;
      byId("call-said", HTMLElement).textContent = "";
    },
  };
}

/** A link would not work, because the key is sent in a header. */
function saveAs(name: string, file: Blob): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
