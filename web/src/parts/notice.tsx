import type { ComponentChildren } from "preact";

export function Notice({
  kind,
  children,
}: {
  kind: "error" | "warning" | "note";
  children: ComponentChildren;
}) {
  const label = { error: "Error", warning: "Warning", note: "Note" }[kind];
  return (
    <div class={`notice ${kind}`} role={kind === "error" ? "alert" : "note"}>
      <strong>{label}</strong> <span>{children}</span>
    </div>
  );
}
