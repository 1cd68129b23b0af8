import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queries } from "./api/queries.ts";
import { pageLanguage } from "./i18n.ts";
import { applyTheme } from "./layout/theme.ts";
import { fetchScreens, router } from "./routes.tsx";
import "./style.css";
import "./components.css";

applyTheme();
document.documentElement.lang = pageLanguage;
const root = document.getElementById("root");
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );

const IDLE_MS = 3_000;
setTimeout(() => void fetchScreens(), IDLE_MS);
