import { useState } from 'preact/hooks';
import { COPY_FORMATS, type CopiedRequest } from '../question/copy-as.ts';
import { Dialog } from '../ui/dialog.tsx';

interface CopyDialogProps {
  readonly request: CopiedRequest;
  readonly onClose: () => void;
}

/** The request as code, or as a JSON body. The key is not part of it. */
export function CopyDialog({ request, onClose }: CopyDialogProps) {
  const [id, setId] = useState('curl');
  const [copied, setCopied] = useState(false);
  const text = COPY_FORMATS.find((format) => format.id === id)?.write(request) ?? '';
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(true));
  return (
    <Dialog title="Copy as code" onClose={onClose} wide>
      <fieldset class="segments">
        <legend class="visually-hidden">Language</legend>
        {COPY_FORMATS.map((format) => (
          <label key={format.id}>
            <input
              type="radio"
              name="format"
              checked={format.id === id}
              onChange={() => {
                setId(format.id);
                setCopied(false);
              }}
            />
            <span>{format.title}</span>
          </label>
        ))}
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard */}
      <section tabIndex={0} aria-label="Code" class="code">
        <pre>{text}</pre>
      </section>
      <div class="buttons">
        <button type="button" class="primary" onClick={copy}>
          {copied ? 'Copied' : 'Copy'}
        </button>
        <p class="hint" role="status">
          {copied ? 'Copied to the clipboard.' : 'The key is read from the environment variable ENDCAP_KEY.'}
        </p>
      </div>
    </Dialog>
  );
}
