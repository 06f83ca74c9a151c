interface HeaderProps {
  readonly page: 'report' | 'data';
  readonly onSignOut: () => void;
}

export function Header({ page, onSignOut }: HeaderProps) {
  const current = (name: HeaderProps['page']) => (page === name ? 'page' : undefined);
  return (
    <header class="top">
      <a class="skip" href="#answer" onClick={focusAnswer}>
        Skip to the answer
      </a>
      <span class="brand">
        Endcap <span>Explorer</span>
      </span>
      <nav aria-label="Pages">
        <a href="#/report" aria-current={current('report')}>
          Report
        </a>
        <a href="#/data" aria-current={current('data')}>
          Data
        </a>
        <a href="docs">API</a>
      </nav>
      <button type="button" class="quiet" onClick={() => onSignOut()}>
        Forget key
      </button>
    </header>
  );
}

/** The fragment holds the question, so the link must not change it. */
function focusAnswer(event: Event): void {
  event.preventDefault();
  const target = document.querySelector<HTMLElement>('#answer h1');
  target?.focus();
}
