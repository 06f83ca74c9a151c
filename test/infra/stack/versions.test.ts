import { beforeAll, describe, expect, test } from 'vitest';
import { EVERY_SETTING, readSynthesized, resourcesOf, shorten, synthesizeWith, type Template } from './synthesized.ts';

let template: Template;
beforeAll(async () => {
  ({ template } = await readSynthesized());
});

const ids = (of: Template, type: string) => [...resourcesOf(of, type).keys()].sort();

describe('each function', () => {
  test('has one alias, live, which points to its current version', () => {
    const functions = ids(template, 'AWS::Lambda::Function');
    const aliases = [...resourcesOf(template, 'AWS::Lambda::Alias').values()].map(({ Properties }) => Properties);
    expect(aliases.map(({ FunctionName }) => Object(FunctionName).Ref).sort()).toEqual(functions);
    const versions = resourcesOf(template, 'AWS::Lambda::Version');
    for (const { Name, FunctionName, FunctionVersion } of aliases) {
      expect(Name).toBe('live');
      const [version, attribute] = Object(FunctionVersion)['Fn::GetAtt'];
      expect(attribute).toBe('Version');
      expect(versions.get(version)?.Properties).toEqual({ FunctionName });
    }
  });

  test('is invoked only through its alias', () => {
    const permissions = [...resourcesOf(template, 'AWS::Lambda::Permission').values()];
    expect(permissions.length).toBeGreaterThanOrEqual(9);
    for (const { Properties } of permissions) expect(shorten(Properties.FunctionName)).toMatch(/Aliaslive$/);
  });
});

describe('a deployment', () => {
  const versionsWith = (context: Readonly<Record<string, unknown>>) =>
    ids(synthesizeWith(context), 'AWS::Lambda::Version');

  test('publishes new versions if the environment changes', () => {
    const changed = versionsWith({ currency: 'EUR' });
    const before = ids(template, 'AWS::Lambda::Version');
    expect(changed.filter((id) => before.includes(id)).map((id) => id.replace(/CurrentVersion.*/, ''))).toEqual([
      'IngestionIngestFolder', // it has no currency
    ]);
  });

  test('publishes no new version if nothing in a function changes, because Lambda would reject one', () => {
    const { alarmEmail, reservedConcurrency, warmThroughput, waf } = EVERY_SETTING;
    const unrelated = { alarmEmail, reservedConcurrency, warmThroughput, waf, logRetentionDays: 7 };
    expect(versionsWith(unrelated)).toEqual(ids(template, 'AWS::Lambda::Version'));
  });
});

test('a deployment deletes the replaced version: Lambda would publish no second one that equals a retained version', () => {
  for (const { DeletionPolicy } of resourcesOf(template, 'AWS::Lambda::Version').values()) {
    expect(DeletionPolicy ?? 'Delete').toBe('Delete');
  }
});
