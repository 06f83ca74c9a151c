import { useState } from 'preact/hooks';
import { COPY_FORMATS, type CopiedRequest } from '../question/copy-as.ts';
import { Dialog } from '../ui/dialog.tsx';

interface CopyDialogProps {
  readonly request: CopiedRequest;
  readonly onClose: () => void;
}

const OUTCOMES = { copied: 'Copied to the clipboard.', rejected: 'The browser does not allow copying.' } as const;

/** The request as code, or as a JSON body. The key is not part of it. */
export function CopyDialog({ request, onClose }: CopyDialogProps) {
  const [id, setId] = useState('curl');
  const [outcome, setOutcome] = useState<'copied' | 'rejected'>();
  const text = COPY_FORMATS.find((format) => format.id === id)?.write(request) ?? '';
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome('copied');
    } catch {
      setOutcome('rejected');
    }
  };
  return (
    <Dialog title="Copy as code" onClose={onClose} class="wide">
      <fieldset class="buttons">
        <legend class="visually-hidden">Language</legend>
        {COPY_FORMATS.map((format) => (
          <label key={format.id} class="check">
            <input
              type="radio"
              name="format"
              checked={format.id === id}
              onChange={() => {
                setId(format.id);
                setOutcome(undefined);
              }}
            />
            <span>{format.title}</span>
          </label>
        ))}
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard */}
      <section tabIndex={0} aria-label="Code" class="code">
        {text}
      </section>
      <div class="buttons">
        <button type="button" class="primary" onClick={copy}>
          {outcome === 'copied' ? 'Copied' : 'Copy'}
        </button>
        <p class="hint" role="status">
          {outcome === undefined
            ? (ABOUT_KEY[id] ?? 'The key is read from the environment variable ENDCAP_KEY.')
            : OUTCOMES[outcome]}
        </p>
      </div>
    </Dialog>
  );
}

const ABOUT_KEY: Readonly<Record<string, string>> = {
  url: 'For sheets. Replace KEY by a key for URLs, which your operator makes: others may see a URL.',
  json: 'The key is not part of the body.',
};
