import type { Result } from '../app/use-result.ts';

interface EmptyNoticeProps {
  readonly result: Result;
}

export function EmptyNotice({ result }: EmptyNoticeProps) {
  const reason = result.page.meta.warnings.find(({ code }) => code === 'NO_ROWS');
  return (
    <p class="notice" role="status">
      <strong>No rows.</strong> {reason?.detail}
    </p>
  );
}
