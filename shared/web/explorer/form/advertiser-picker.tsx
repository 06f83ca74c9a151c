import { useState } from 'preact/hooks';
import { nameAdvertiser, nameSome } from '../question/describe.ts';
import type { Account } from '../service/api.ts';
import type { Workspace } from '../service/editing.ts';
import { useAdvertisers } from '../service/use-catalogue.ts';
import { Choice } from '../ui/choice.tsx';
import { moveFocus } from '../ui/move-focus.ts';

const NONE: readonly Account[] = [];

/** The advertisers of one account, or of all. */
export function AdvertiserPicker({ api, accounts, advertisers, question, change, onError }: Workspace) {
  const { account, advertisers: chosen } = question;
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const everyone = useAdvertisers(api, isOpen && account === undefined ? accounts : NONE, onError);
  const offered = account === undefined && isOpen ? everyone : advertisers;
  const toggle = (id: number) =>
    change({
      ...question,
      advertisers: chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id],
    });
  const count = new Set(offered?.map(({ id }) => id)).size; // several accounts may list one
  const wanted = text.trim().toLowerCase();
  const found = offered?.filter(({ name }) => name.toLowerCase().includes(wanted)) ?? [];
  return (
    <fieldset>
      <legend>Advertisers</legend>
      <Choice
        title="Account"
        value={String(account ?? '')}
        choices={[['', 'All your accounts'], ...accounts.map(({ id, name }) => [String(id), name] as const)]}
        onChange={(id) => change({ ...question, account: id === '' ? undefined : Number(id), advertisers: [] })}
      />
      <details class="options" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          {chosen.length > 0 ? nameSome(chosen.map((id) => nameAdvertiser(id, offered ?? []))) : countAll(count)}
        </summary>
        {offered === undefined ? <p class="muted">Reading the advertisers…</p> : null}
        {count > 1 ? (
          <input
            type="search"
            aria-label="Search advertisers"
            placeholder={`Search ${count} advertisers`}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        ) : null}
        {[...Map.groupBy(found, (advertiser) => advertiser.account)].map(([title, members]) => (
          <ul key={title} aria-label={title} onKeyDown={(event) => moveFocus(event, 'input')}>
            {account === undefined ? <li class="account hint">{title}</li> : null}
            {members.map(({ id }) => (
              <li key={id}>
                <label class="check">
                  <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
                  <span>{nameAdvertiser(id, members)}</span>
                </label>
              </li>
            ))}
          </ul>
        ))}
        {wanted !== '' && found.length === 0 ? <p class="muted">Nothing matches “{text}”.</p> : null}
      </details>
    </fieldset>
  );
}

/** @param count 0 if they are not read */
function countAll(count: number): string {
  return count === 1 ? '1 advertiser' : `All ${count === 0 ? '' : `${count} `}advertisers`;
}
