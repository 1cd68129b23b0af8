/** Renders before `DOMContentLoaded`, when `/docs/theme.js` looks for the header. */
import { render } from "preact";
import { readService } from "./api.ts";
import { Header, Playground } from "./playground.tsx";
import { language, say } from "./words.ts";
import "./playground.css";

document.documentElement.lang = language;
render(<Header service={null} />, byId("header"));
const service = await readService();
document.title = `${service.title}: ${say("playground").toLowerCase()}`;
render(<Header service={service} />, byId("header"));
render(<Playground service={service} />, byId("page"));

function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`index.html has no #${id}`);
  return element;
}
