import { useEffect, useState } from 'preact/hooks';
import type { Api } from '../app/api.ts';
import type { Result } from '../app/use-result.ts';
import type { Catalogue } from '../question/catalogue.ts';
import { format } from '../question/format.ts';
import { explainEmpty } from './explain-empty.ts';

interface EmptyNoticeProps {
  readonly api: Api;
  readonly result: Result;
  readonly catalogue: Catalogue;
}

export function EmptyNotice({ api, result, catalogue }: EmptyNoticeProps) {
  const [reason, setReason] = useState<string>();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setReason(undefined);
    explainEmpty(api, { result, catalogue, format, signal }).then(
      (text) => {
        if (!signal.aborted) setReason(text);
      },
      () => undefined, // the notice is true without a reason
    );
    return () => controller.abort();
  }, [api, result, catalogue, format]);
  return (
    <p class="notice" role="status">
      <strong>No rows.</strong> {reason}
    </p>
  );
}
