import { experienceTitle } from '../question/catalogue.ts';
import { describeQuestion } from '../question/describe.ts';
import type { Editing } from '../service/editing.ts';

interface LinkNoticeProps extends Editing {
  /** The parts of the link that the question does not have. */
  readonly leftOut: readonly string[];
  readonly owners: string;
}

/** Takes the place of the result of a link that has unknown parts. */
export function LinkNotice({ leftOut, question, owners, catalogue, change }: LinkNoticeProps) {
  return (
    <section class="notice warning" role="alert">
      <h1 tabIndex={-1}>Parts of this link do not exist</h1>
      <p>
        The link was cut, is old, or is about something that your key may not see. No report is requested until you
        decide.
      </p>
      <ul>
        {leftOut.map((part) => (
          <li key={part}>{part}</li>
        ))}
      </ul>
      <p>
        Without them it asks: {describeQuestion(question, catalogue)} in {experienceTitle(question.experience)},{' '}
        {owners}.
      </p>
      <button type="button" onClick={() => change(question)}>
        Show without them
      </button>
    </section>
  );
}
