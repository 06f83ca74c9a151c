import { useEffect, useState } from 'preact/hooks';
import { type Catalogue, experienceTitle } from '../question/catalogue.ts';
import { describeQuestion } from '../question/describe.ts';
import { format } from '../question/format.ts';
import { writeQuestion } from '../question/link.ts';
import type { Question } from '../question/question.ts';
import type { Result, Wait } from '../service/use-result.ts';
import { describeProgress } from './describe-progress.ts';

interface StaleNoticeProps {
  readonly result: Result;
  readonly question: Question;
  readonly wait: Wait | undefined;
  readonly catalogue: Catalogue;
}

export function StaleNotice({ result, question, wait, catalogue }: StaleNoticeProps) {
  const { startDate, endDate } = result.request;
  const isPrevious = writeQuestion(result.question) !== writeQuestion(question);
  return (
    <div class="stale">
      <div class="notice">
        {isPrevious ? (
          <p>
            <strong>These figures are of the previous question:</strong> {describeQuestion(result.question, catalogue)},{' '}
            {experienceTitle(result.question.experience)}, {format.range(startDate, endDate)}.
          </p>
        ) : null}
        <p>
          <Progress wait={wait} />
        </p>
      </div>
    </div>
  );
}

export function Progress({ wait }: { readonly wait: Wait | undefined }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [wait]);
  return <>{describeProgress(wait, now)}</>;
}
