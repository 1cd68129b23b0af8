import { render } from "preact";
import { readService } from "./api.ts";
import { Playground } from "./playground.tsx";
import "./playground.css";

const service = await readService();
document.title = `${service.title}: playground`;
byId("service").textContent = service.title.replace(/^Triptych /, "");
byId("prices").hidden = service.paid === null;
render(<Playground service={service} />, byId("page"));

function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`index.html has no #${id}`);
  return element;
}
