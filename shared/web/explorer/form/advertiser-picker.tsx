import { nameSome } from '../question/describe.ts';
import type { Question } from '../question/question.ts';
import type { Account, Advertiser } from '../service/api.ts';

interface AdvertiserPickerProps {
  readonly accounts: readonly Account[];
  /** Those of the question's account; undefined while they are being read. */
  readonly advertisers: readonly Advertiser[] | undefined;
  readonly question: Question;
  readonly change: (question: Question) => void;
}

export function AdvertiserPicker({ accounts, advertisers, question, change }: AdvertiserPickerProps) {
  const chosen = new Set(question.advertisers);
  const toggle = (id: number) =>
    change({
      ...question,
      advertisers: chosen.has(id)
        ? question.advertisers.filter((other) => other !== id)
        : [...question.advertisers, id],
    });
  const choose = (account: number | undefined) => change({ ...question, account, advertisers: [] });
  return (
    <fieldset>
      <legend>Advertisers</legend>
      <label class="field">
        <span class="hint">Account</span>
        <select
          value={question.account === undefined ? '' : String(question.account)}
          onChange={(event) => choose(event.currentTarget.value === '' ? undefined : Number(event.currentTarget.value))}
        >
          <option value="">All your accounts</option>
          {accounts.map(({ id, name }) => (
            <option key={id} value={String(id)}>
              {name}
            </option>
          ))}
        </select>
      </label>
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
