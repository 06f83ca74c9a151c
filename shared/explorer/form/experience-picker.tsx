import { type Catalogue, experienceTitle } from '../question/catalogue.ts';
import type { Question } from '../question/question.ts';

interface ExperiencePickerProps {
  readonly catalogue: Catalogue;
  readonly question: Question;
  readonly change: (question: Question) => void;
}

export function ExperiencePicker({ catalogue, question, change }: ExperiencePickerProps) {
  return (
    <fieldset class="segments">
      <legend>Experience</legend>
      {experiencesOf(catalogue).map((experience) => (
        <label key={experience}>
          <input
            type="radio"
            name="experience"
            checked={experience === question.experience}
            onChange={() => change({ ...question, experience })}
          />
          <span>{experienceTitle(experience)}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** @returns every experience in which some metric has a meaning */
export function experiencesOf({ metrics }: Pick<Catalogue, 'metrics'>): readonly string[] {
  return [...new Set(metrics.flatMap(({ experiences }) => experiences))];
}
