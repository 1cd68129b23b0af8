export function Empty({ why, children }: { readonly why: string; readonly children?: React.ReactNode }) {
  return (
    <div className="empty">
      <p>{why}</p>
      {children}
    </div>
  );
}
