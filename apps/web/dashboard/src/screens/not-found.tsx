import { useNavigate } from "@tanstack/react-router";
import { useTitle } from "../layout/title.ts";
import { typed } from "../components/form-text.ts";
import { t } from "../i18n.ts";

export function NotFound() {
  useTitle(t("Not found"));
  const navigate = useNavigate();
  return (
    <div className="narrow">
      <h1>{t("Page not found")}</h1>
      <p className="soft">
        {t("Enter the ID of a run or a repository to open it, or part of a name to search the repositories.")}
      </p>
      <form
        className="row"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          const query = typed(event.currentTarget, "q").trim();
          if (query.startsWith("run_")) void navigate({ to: "/runs/$id", params: { id: query } });
          else if (query.startsWith("rep_"))
            void navigate({ to: "/repos/$id", params: { id: query }, search: { tab: undefined } });
          else void navigate({ to: "/repos", search: { q: query } });
        }}
      >
        <input
          name="q"
          type="search"
          aria-label={t("Search")}
          placeholder={t("Repository name or ID")}
          data-filter
          required
        />
        <button type="submit">{t("Search")}</button>
      </form>
    </div>
  );
}
