import { useEffect, useRef, useState } from 'preact/hooks';
import { type Brand, BrandName } from './brand-name.tsx';

interface SignInProps {
  readonly brand: Brand;
  /** Pairs of a demo key of the local stage and the role whose view of the network it gives. */
  readonly demoKeys: readonly (readonly string[])[];
  readonly problem: string | undefined;
  readonly mayKeep: boolean;
  readonly onKey: (key: string, isKept: boolean) => void;
}

export function SignIn({ brand, demoKeys, problem, mayKeep, onKey }: SignInProps) {
  const [key, setKey] = useState('');
  const [isKept, setKept] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const submit = (event: Event) => {
    event.preventDefault();
    if (key.trim() !== '') onKey(key.trim(), isKept);
  };
  return (
    <main class="sign-in">
      <h1 class="brand">
        <BrandName {...brand} />
      </h1>
      <p>
        Ask questions of your advertising data, and see the results as chart and table. You need an API key, which your
        operator gives you.{brand.contact === undefined ? null : ` Questions: ${brand.contact}`}
      </p>
      <form onSubmit={submit} autocomplete="off">
        <label for="key">API key</label>
        <div class="row">
          <input
            ref={input}
            id="key"
            type="password"
            autocomplete="off"
            spellcheck={false}
            aria-invalid={problem !== undefined}
            aria-describedby="key-hint"
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
          <button type="submit" class="primary">
            Open
          </button>
        </div>
        {problem === undefined ? null : (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {mayKeep ? (
          <label class="check">
            <input type="checkbox" checked={isKept} onChange={() => setKept(!isKept)} />
            <span>Keep the key on this device</span>
          </label>
        ) : null}
        <p id="key-hint" class="muted">
          {isKept
            ? 'Whoever uses this browser sees your reports, for 30 days or until “Forget key” is chosen in any tab.'
            : 'The key stays in this tab, and in tabs that you open beside it, until they are closed.'}{' '}
          It is sent in a header only, and is never part of a link.
        </p>
      </form>
      {demoKeys.length === 0 ? null : (
        <section aria-label="Demo network">
          <p>This stage has a demo network. Open it as:</p>
          <div class="buttons">
            {demoKeys.map(([demoKey = '', view]) => (
              <button type="button" key={demoKey} onClick={() => onKey(demoKey, false)}>
                {view} <code>{demoKey}</code>
              </button>
            ))}
          </div>
        </section>
      )}
    </main>
  );
}
