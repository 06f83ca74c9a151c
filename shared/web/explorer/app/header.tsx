import { useEffect, useState } from 'preact/hooks';
import type { Api } from '../service/api.ts';
import { focusResult } from '../ui/move-focus.ts';
import { type Brand, BrandName } from './brand-name.tsx';

interface HeaderProps {
  readonly brand: Brand;
  readonly api: Api;
  readonly page: 'report' | 'data';
  readonly report: string;
  /** The accounts or advertisers whose data the page shows. */
  readonly owners: string;
  readonly onSignOut: () => void;
}

export function Header({ brand, api, page, report, owners, onSignOut }: HeaderProps) {
  const [user, setUser] = useState<string>();
  useEffect(() => {
    api.user().then(setUser);
  }, [api]);
  const current = (name: HeaderProps['page']) => (page === name ? 'page' : undefined);
  return (
    <header class="top">
      <button type="button" class="visually-hidden" onClick={focusResult}>
        Skip to the result
      </button>
      <span class="brand">
        <BrandName {...brand} />
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
      <p class="owners hint" title={owners}>
        {user === undefined ? null : <span>{user}: </span>}
        {owners}
      </p>
      <button type="button" onClick={() => onSignOut()}>
        Forget key
      </button>
    </header>
  );
}
