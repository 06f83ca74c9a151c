import { describe, expect, test } from 'vitest';
import { FUNCTION_ROUTES, PAGES } from '../../../infra/config/routes.ts';
import { pascalCase } from '../../../infra/stack/pascal-case.ts';
import {
  EVERY_SETTING,
  resourcesOf,
  shorten,
  synthesizeDefault,
  synthesizeWith,
  type Template,
  withoutHash,
} from './synthesized.ts';

const template = synthesizeDefault();

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
    expect(permissions.length).toBeGreaterThan(FUNCTION_ROUTES.length); // at least one of each function behind the API
    for (const { Properties } of permissions) expect(shorten(Properties.FunctionName)).toMatch(/Aliaslive$/);
  });
});

describe('a deployment', () => {
  const versionsWith = (context: Readonly<Record<string, unknown>>) =>
    ids(synthesizeWith(context), 'AWS::Lambda::Version');

  test('publishes new versions of the functions whose environment changes', () => {
    const changed = versionsWith({ currency: 'EUR' });
    const before = ids(template, 'AWS::Lambda::Version');
    expect(changed.filter((id) => before.includes(id)).map((id) => id.replace(/CurrentVersion.*/, ''))).toEqual([
      'CheckCheckService',
      'GetPage', // they have no currency
    ]);
  });

  test('publishes no new version if nothing in a function changes, because Lambda would reject one', () => {
    const { alarms, waf } = EVERY_SETTING;
    const unrelated = { alarms, waf, concurrency: { 'submit-report': { reserved: 50 } }, logRetentionDays: 7 };
    expect(versionsWith(unrelated)).toEqual(ids(template, 'AWS::Lambda::Version'));
  });
});

describe('a canary deployment', () => {
  const complete = synthesizeWith(EVERY_SETTING);

  test('switches the alias of each route, and is rolled back by the alarms on errors', () => {
    const groups = resourcesOf(complete, 'AWS::CodeDeploy::DeploymentGroup');
    const alarms = ids(complete, 'AWS::CloudWatch::Alarm')
      .filter((id) => id.startsWith('Errors'))
      .map(withoutHash);
    expect(alarms.length).toBeGreaterThan(0);
    expect([...groups.values()].map(({ Properties }) => shorten(Properties))).toMatchObject(
      [...FUNCTION_ROUTES, PAGES].map(() => ({
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
        AlarmConfiguration: {
          Enabled: true,
          Alarms: alarms.map((Name) => ({ Name })),
        },
        AutoRollbackConfiguration: { Enabled: true, Events: expect.arrayContaining(['DEPLOYMENT_STOP_ON_ALARM']) },
      })),
    );
    const aliases = [...resourcesOf(complete, 'AWS::Lambda::Alias').values()];
    const switched = aliases.flatMap(({ UpdatePolicy, DependsOn }) => {
      if (UpdatePolicy === undefined) return [];
      const { DeploymentGroupName, BeforeAllowTrafficHook } = Object(UpdatePolicy).CodeDeployLambdaAliasUpdate;
      expect(DependsOn).toContain(DeploymentGroupName.Ref); // so that the first canary deployment finds its group
      // so that the check has the new versions and may invoke them, and CodeDeploy may invoke the check
      expect(shorten(BeforeAllowTrafficHook)).toBe('CheckCheckService');
      const needed = ['CheckCheckService', 'CheckCheckServiceRoleDefaultPolicy', 'DeploymentRoleDefaultPolicy'];
      expect(DependsOn.map(withoutHash)).toEqual(expect.arrayContaining(needed));
      return [DeploymentGroupName.Ref];
    });
    expect(switched.sort()).toEqual([...groups.keys()].sort());
  });

  test('names each group as its function, by which the check finds the version that is deployed', () => {
    const groups = [...resourcesOf(complete, 'AWS::CodeDeploy::DeploymentGroup').values()];
    const names = [...FUNCTION_ROUTES, PAGES].map((route) => route.function);
    expect(groups.map(({ Properties }) => Properties.DeploymentGroupName)).toEqual(names);
    const [check] = [...resourcesOf(complete, 'AWS::Lambda::Function')].filter(([id]) => id.startsWith('Check'));
    const { VERSIONS } = Object(shorten(check?.[1].Properties.Environment)).Variables;
    expect(Object.entries(JSON.parse(VERSIONS))).toEqual(
      names.map((name) => [name, expect.stringMatching(new RegExp(`^${pascalCase(name)}CurrentVersion`))]),
    );
  });

  test('is a setting: by default, deployments switch all requests at once', () => {
    expect(ids(template, 'AWS::CodeDeploy::DeploymentGroup')).toEqual([]);
    for (const { UpdatePolicy } of resourcesOf(template, 'AWS::Lambda::Alias').values())
      expect(UpdatePolicy).toBeUndefined();
  });
});

test('instances of a function are always ready if the setting concurrency says so', () => {
  const provisioned = (of: Template) =>
    [...resourcesOf(of, 'AWS::Lambda::Alias').values()].flatMap(
      ({ Properties }) => Properties.ProvisionedConcurrencyConfig ?? [],
    );
  expect(provisioned(template)).toEqual([]);
  const { concurrency } = EVERY_SETTING;
  expect(provisioned(synthesizeWith({ concurrency }))).toEqual([{ ProvisionedConcurrentExecutions: 2 }]);
});

test('the replaced version is kept, and a release can be deployed again after its failure and after another release', () => {
  const next = synthesizeWith({ currency: 'EUR' });
  const [first, second] = [template, next].map(
    (of) => ids(of, 'AWS::Lambda::Version').find((id) => id.startsWith('SubmitReport')) ?? '',
  );
  const versions = new LambdaVersions();
  versions.deploy(template);
  versions.deploy(next, 'fails'); // a canary deployment that an alarm has stopped
  versions.deploy(next);
  expect(versions.of('SubmitReport')).toEqual([first, second]);
  versions.deploy(template);
  versions.deploy(next);
  expect(versions.of('SubmitReport')).toEqual([first, second, first, second]);
});

/**
 * The versions of a stack's functions, as deployments publish and delete them. A version's logical id ends in a hash of its code and settings, so equal ids are
 * equal versions.
 */
class LambdaVersions {
  /** By function, in the order in which they were published. */
  readonly #existing = new Map<string, string[]>();
  #deployed: Template = { Resources: {} };

  /** @throws Error if Lambda would publish nothing, because the last version equals the new one */
  deploy(template: Template, outcome: 'succeeds' | 'fails' = 'succeeds'): void {
    const before = resourcesOf(this.#deployed, 'AWS::Lambda::Version');
    const after = resourcesOf(template, 'AWS::Lambda::Version');
    const created = [...after].filter(([id]) => !before.has(id));
    for (const [id] of created) {
      const versions = this.of(id);
      if (versions.at(-1) === id) throw new Error(`A version for this Lambda function exists (${id})`);
      this.#existing.set(functionOf(id), [...versions, id]);
    }
    if (outcome === 'fails') {
      this.#delete(created.flatMap(([id, { DeletionPolicy }]) => (DeletionPolicy === 'Retain' ? [] : [id])));
      return;
    }
    const removed = [...before].filter(([id]) => !after.has(id));
    this.#delete(removed.flatMap(([id, { DeletionPolicy = 'Delete' }]) => (DeletionPolicy === 'Delete' ? [id] : [])));
    this.#deployed = template;
  }

  /** @returns the existing versions of the same function */
  of(id: string): readonly string[] {
    return this.#existing.get(functionOf(id)) ?? [];
  }

  #delete(ids: readonly string[]): void {
    for (const id of ids) {
      const versions = [...this.of(id)];
      versions.splice(versions.lastIndexOf(id), 1);
      this.#existing.set(functionOf(id), versions);
    }
  }
}

const functionOf = (versionId: string): string => versionId.replace(/CurrentVersion.*/, '');
