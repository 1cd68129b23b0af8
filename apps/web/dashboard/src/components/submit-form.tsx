/** The first invalid field takes focus. */
import { useRef, type ReactNode, type RefObject } from "react";
import { useFocusOnError } from "./field.tsx";

interface SentFormProps {
  readonly sending: { readonly mutate: (sent: FormData) => void; readonly error: unknown };
  readonly children: ReactNode;
  readonly form?: RefObject<HTMLFormElement | null>;
}

export function SubmitForm({ sending, children, form }: SentFormProps) {
  const own = useRef<HTMLFormElement>(null);
  const formRef = form ?? own;
  useFocusOnError(formRef, sending.error);
  return (
    <form
      ref={formRef}
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        sending.mutate(new FormData(event.currentTarget));
      }}
    >
      {children}
    </form>
  );
}
