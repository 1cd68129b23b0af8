/** An address that leads nowhere: in the same frame, with a way to look for what was meant. */
import { useNavigate } from "@tanstack/react-router";
import { useTitle } from "../frame/title.ts";
import { typed } from "../pieces/form-text.ts";

export function NotFound() {
  useTitle("Not found");
  const navigate = useNavigate();
  return (
    <div className="narrow">
      <h1>There is nothing here</h1>
      <p className="soft">
        The address leads nowhere, or what it named is gone. An id of a run or a repo opens it; anything else looks
        among the repos.
      </p>
      <form
        className="row"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          const wanted = typed(event.currentTarget, "q").trim();
          if (wanted.startsWith("run_")) void navigate({ to: "/runs/$id", params: { id: wanted } });
          else if (wanted.startsWith("rep_"))
            void navigate({ to: "/repos/$id", params: { id: wanted }, search: { tab: undefined } });
          else void navigate({ to: "/repos", search: { q: wanted } });
        }}
      >
        <input name="q" type="search" aria-label="Look for" placeholder="repo name, or an id" data-filter required />
        <button type="submit">Look</button>
      </form>
    </div>
  );
}
