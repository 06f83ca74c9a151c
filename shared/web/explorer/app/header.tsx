interface HeaderProps {
  readonly page: 'report' | 'data';
  /** The address of the last report. */
  readonly report: string;
  readonly onSignOut: () => void;
}

export function Header({ page, report, onSignOut }: HeaderProps) {
  const current = (name: HeaderProps['page']) => (page === name ? 'page' : undefined);
  return (
    <header class="top">
      <button type="button" class="skip" onClick={focusResult}>
        Skip to the result
      </button>
      <span class="brand">
        Endcap <span>Explorer</span>
      </span>
      <nav aria-label="Pages">
        <a href={report} aria-current={current('report')}>
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

function focusResult(): void {
  document.querySelector<HTMLElement>('#result h1')?.focus();
}
