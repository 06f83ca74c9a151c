import { type Catalogue, experienceTitle } from '../question/catalogue.ts';
import type { Question } from '../question/question.ts';

interface ExperiencePickerProps {
  readonly catalogue: Catalogue;
  readonly question: Question;
  readonly change: (question: Question) => void;
}

export function ExperiencePicker({ catalogue, question, change }: ExperiencePickerProps) {
  return (
    <fieldset class="buttons">
      <legend>Experience</legend>
      {catalogue.choices.map((experience) => (
        <label key={experience} class="check">
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
