import { useEffect, useRef } from "preact/hooks";
import { useKeys } from "../context";

const KEYS: [string, string][] = [
  ["j / k", "next / previous judgment"],
  ["Enter", "open the chosen judgment"],
  ["1 / 2 / 0", "only wins of the first system / the second / ties; in review: left / right / tie"],
  ["b", "in review: both bad"],
  ["s", "in review: skip"],
  ["c", "in review: write a comment"],
  ["u", "in a judgment: back to the list; in review: undo"],
  ["/", "search the texts"],
  ["?", "show these keys"],
];

export function KeyHelp() {
  const dialog = useRef<HTMLDialogElement>(null);
  useKeys((key) => {
    if (key !== "?") return false;
    dialog.current?.showModal();
    return true;
  });
  useEffect(() => {
    const close = (event: KeyboardEvent) => {
      if (event.key !== "?" || !dialog.current?.open) return;
      dialog.current.close();
      // Else the same key would open it again.
      event.stopImmediatePropagation();
    };
    addEventListener("keydown", close, true);
    return () => removeEventListener("keydown", close, true);
  }, []);
  return (
    <dialog ref={dialog} aria-label="Keys">
      <h2>Keys</h2>
      <table>
        <tbody>
          {KEYS.map(([key, what]) => (
            <tr key={key}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}
