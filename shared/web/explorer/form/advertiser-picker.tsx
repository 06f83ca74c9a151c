import { nameSome } from '../question/describe.ts';
import type { Advertiser } from '../service/api.ts';
import type { Workspace } from '../service/editing.ts';
import { Choice } from '../ui/choice.tsx';

export function AdvertiserPicker({ accounts, advertisers, question, change }: Workspace) {
  const chosen = new Set(question.advertisers);
  const toggle = (id: number) =>
    change({
      ...question,
      advertisers: chosen.has(id)
        ? question.advertisers.filter((other) => other !== id)
        : [...question.advertisers, id],
    });
  return (
    <fieldset>
      <legend>Advertisers</legend>
      <Choice
        title="Account"
        value={String(question.account ?? '')}
        choices={[['', 'All your accounts'], ...accounts.map(({ id, name }) => [String(id), name] as const)]}
        onChange={(id) => change({ ...question, account: id === '' ? undefined : Number(id), advertisers: [] })}
      />
      {question.account === undefined ? (
        chosen.size === 0 ? null : (
          <p class="hint">Only advertisers {nameSome([...chosen].map(String))}</p>
        )
      ) : advertisers === undefined ? (
        <p class="muted">Reading the advertisers…</p>
      ) : (
        <details class="options">
          <summary>{summaryOf(advertisers, chosen)}</summary>
          <ul>
            {advertisers.map(({ id, name }) => (
              <li key={id}>
                <label class="check">
                  <input type="checkbox" checked={chosen.has(id)} onChange={() => toggle(id)} />
                  <span>{name}</span>
                </label>
              </li>
            ))}
          </ul>
        </details>
      )}
    </fieldset>
  );
}

function summaryOf(advertisers: readonly Advertiser[], chosen: ReadonlySet<number>): string {
  if (chosen.size === 0) return advertisers.length === 1 ? '1 advertiser' : `All ${advertisers.length} advertisers`;
  if (chosen.size > 1) return `${chosen.size} of ${advertisers.length} advertisers`;
  return advertisers.find(({ id }) => chosen.has(id))?.name ?? '1 advertiser';
}
