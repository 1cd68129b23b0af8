/** Empty state: the reason, the next step, and an example. */
export function Empty({ why, children }: { readonly why: string; readonly children?: React.ReactNode }) {
  return (
    <div className="empty">
      <p>{why}</p>
      {children}
    </div>
  );
}
