import { EndcapError } from '../../client/client.ts';

interface ErrorNoticeProps {
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** An error, with the invalid fields that the service reports. */
export function ErrorNotice({ error, onRetry }: ErrorNoticeProps) {
  const fields = error instanceof EndcapError ? error.fields : [];
  return (
    <div class="notice error" role="alert">
      <p>{messageOf(error)}</p>
      {fields.length === 0 ? null : (
        <ul>
          {fields.map(({ pointer, detail }) => (
            <li key={`${pointer} ${detail}`}>{detail}</li>
          ))}
        </ul>
      )}
      {error instanceof EndcapError && error.requestId !== undefined ? (
        <p class="muted">Request {error.requestId}</p>
      ) : null}
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

function messageOf(error: unknown): string {
  if (error instanceof EndcapError) return error.detail;
  if (error instanceof TypeError) return 'The service cannot be reached. Check the connection.';
  return error instanceof Error ? error.message : String(error);
}
