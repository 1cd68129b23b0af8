/** The wallet pages of the rail. Renders before `DOMContentLoaded`, when `/docs/theme.js` looks for the header. */
import { render } from "preact";
import { LinkPage } from "./link-page.tsx";
import { VerifyPage } from "./verify-page.tsx";
import { language } from "./words.ts";
import { WalletPage } from "./wallet-page.tsx";
import "./wallet.css";

const page = document.getElementById("page");
if (page === null) throw new Error("the document has no element with the ID page");
document.documentElement.lang = language;
switch (location.pathname) {
  case "/verify":
    render(<VerifyPage />, page);
    break;
  case "/wallet/link":
    render(<LinkPage />, page);
    break;
  default:
    render(<WalletPage />, page);
}
