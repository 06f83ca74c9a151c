import { idOf, withId } from '../question/namesakes.ts';
import { withoutFields } from '../question/question.ts';
import type { ReportMeta } from '../service/api.ts';
import type { Editing } from '../service/editing.ts';

interface WarningsProps extends Editing {
  readonly warnings: ReportMeta['warnings'];
}

/** More are folded, so that the figures are in sight. */
const MAX_UNFOLDED = 2;

/** The report's warnings, each with a button that removes the dimensions that cause it, or adds the ids that tell namesakes apart. */
export function Warnings({ warnings, catalogue, question, change }: WarningsProps) {
  if (warnings.length === 0) return null;
  const list = (
    <ul>
      {warnings.map(({ code, field, message, drop }) => {
        const removable = drop.filter((name) => question.dimensions.includes(name));
        const id = code === 'SHARED_NAME' ? catalogue.dimension(idOf(field) ?? '') : undefined;
        return (
          <li key={`${code} ${message}`}>
            {message}{' '}
            {removable.length === 0 ? null : (
              <button type="button" class="link" onClick={() => change(withoutFields(question, removable))}>
                Remove {removable.map((name) => catalogue.titleOf(name)).join(', ')}
              </button>
            )}
            {id === undefined ? null : (
              <button type="button" class="link" onClick={() => change(withId(question, field))}>
                Add {id.title}
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
  return (
    <section class="notice warning" aria-label="Warnings">
      {warnings.length <= MAX_UNFOLDED ? (
        list
      ) : (
        <details>
          <summary>
            {warnings.length} warnings, the first: {warnings[0]?.message}
          </summary>
          {list}
        </details>
      )}
    </section>
  );
}
