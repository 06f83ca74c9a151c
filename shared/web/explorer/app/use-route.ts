import { useCallback, useEffect, useState } from 'preact/hooks';

/** What the fragment of the address says: `#/report?…` or `#/data`. */
export interface Route {
  readonly page: 'report' | 'data';
  /** The question; empty without one. */
  readonly query: string;
}

/** @returns the current route, and a function that goes to another one and adds it to the history */
export function useRoute(): readonly [Route, (route: Route) => void] {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const update = () => setRoute(readRoute());
    window.addEventListener('popstate', update);
    return () => window.removeEventListener('popstate', update);
  }, []);
  const go = useCallback((next: Route) => {
    const hash = hashOf(next);
    if (hash !== location.hash) history.pushState(null, '', hash);
    setRoute(next);
  }, []);
  return [route, go];
}

export function hashOf({ page, query }: Route): string {
  return `#/${page}${query === '' ? '' : `?${query}`}`;
}

function readRoute(): Route {
  const [path = '', query = ''] = location.hash.slice(1).split(/\?(.*)/s); // at the first question mark
  return path === '/data' ? { page: 'data', query: '' } : { page: 'report', query };
}
