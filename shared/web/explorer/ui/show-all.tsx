/** The button that offers also what was never loaded. */
export function ShowAll({ onClick }: { readonly onClick: () => void }) {
  return (
    <button type="button" class="link" title="Also what was not loaded" onClick={onClick}>
      Show all
    </button>
  );
}
