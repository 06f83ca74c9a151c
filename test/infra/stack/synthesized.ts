import { rmSync } from 'node:fs';
import * as z from 'zod';
import { createApp } from '../../../infra/app.ts';
import { cachedBundles } from '../../../infra/bundle/cached-bundles.ts';

const Resource = z.looseObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  DeletionPolicy: z.string().optional(),
  UpdateReplacePolicy: z.string().optional(),
  UpdatePolicy: z.unknown().optional(),
  DependsOn: z.array(z.string()).default([]),
});
export const Template = z.looseObject({ Resources: z.record(z.string(), Resource) });
export type Template = z.output<typeof Template>;
export type Resource = z.output<typeof Resource>;

/** The folder with the functions' bundles. */
export const BUNDLES = await cachedBundles();

/** @returns the template without settings */
export function synthesizeDefault(): Template {
  return synthesizeWith({});
}

type Context = Readonly<Record<string, unknown>>;

/** Settings that switch on the optional parts of the stack; with `userIdKey`, the stack creates no user-id key. */
export const EVERY_SETTING = {
  logLevel: 'WARN',
  alarms: {
    email: 'ops@example.com',
    page: 'arn:aws:sns:eu-central-1:000000000000:pages',
    ticket: 'arn:aws:sns:eu-central-1:000000000000:tickets',
  },
  budget: { usdPerMonth: 500, email: 'ops@example.com' },
  maxReadUnitsPerSecond: 4_000,
  signingKeys: { sign: 2, accept: [1] },
  uploaders: ['arn:aws:iam::000000000000:role/nightly-export'],
  userUploaders: ['arn:aws:iam::000000000000:role/user-export'],
  userIdKey: 'arn:aws:kms:eu-central-1:000000000000:key/mrk-1234abcd12ab34cd56ef1234567890ab',
  staleAfterHours: { pla: 36, carousel: 48 },
  concurrency: { 'submit-report': { reserved: 50, provisioned: 2 } },
  deployment: 'canary',
  waf: { requestsPerFiveMinutes: 5_000 },
  customDomain: {
    name: 'api.example.com',
    certificateArn: 'arn:aws:acm:eu-central-1:000000000000:certificate/11111111-2222-3333-4444-555555555555',
  },
  customerManagedKey: true,
  tags: { team: 'retail-media' },
} satisfies Context;

/** @returns every second of the settings, so that each optional part is checked without its neighbours, too */
function everySecond(start: 0 | 1): Context {
  return Object.fromEntries(Object.entries(EVERY_SETTING).filter((_, index) => index % 2 === start));
}

/** The settings with which the template is checked: none, all that add resources, each half of them alone, and all that remove or change resources. */
export const SETTING_VARIANTS: readonly (readonly [name: string, Context])[] = [
  ['no setting', {}],
  ['every setting', EVERY_SETTING],
  ['one half of the settings', everySecond(0)],
  ['the other half of the settings', everySecond(1)],
  [
    'every part left out',
    {
      ...{ alarms: false, probe: false, waf: 'off', pages: false },
      ...{ removalPolicy: 'destroy', apiGatewayAccountRole: 'existing' },
    },
  ],
];

const synthesized = new Map<string, Template>();

/** @returns the template with these settings, which is made once per file */
export function synthesizeWith(context: Context): Template {
  const key = JSON.stringify(context);
  const known = synthesized.get(key);
  if (known !== undefined) return known;
  const { directory, stacks } = createApp(BUNDLES, { context }).synth();
  const template = Template.parse(stacks[0]?.template);
  rmSync(directory, { recursive: true });
  synthesized.set(key, template);
  return template;
}

/** @returns the resources of a type, by logical id */
export function resourcesOf({ Resources }: Template, type: string): Map<string, Resource> {
  return new Map(Object.entries(Resources).filter(([, { Type }]) => Type === type));
}

/** @returns the one resource of a type */
export function single(template: Template, type: string): Resource {
  const [found, ...more] = resourcesOf(template, type).values();
  if (found === undefined || more.length > 0) throw new Error(`there is not exactly one ${type}`);
  return found;
}

/** @returns the policy documents of a function, with shortened references; `functionId` is its construct id with those of its parents */
export function policyDocumentsOf(template: Template, functionId: string): unknown[] {
  return [...resourcesOf(template, 'AWS::IAM::Policy').values()]
    .filter(({ Properties }) => String(shorten(Properties.Roles)) === `${functionId}Role`)
    .map(({ Properties }) => shorten(Properties.PolicyDocument));
}

/** Shortens references: `{Ref: 'TableCD117FA1'}` → `Table`, `{Fn::GetAtt: ['TableCD117FA1', 'Arn']}` → `Table.Arn`; joins the parts of `Fn::Join`. */
export function shorten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  if ('Ref' in value && typeof value.Ref === 'string') return withoutHash(value.Ref);
  if ('Fn::GetAtt' in value && Array.isArray(value['Fn::GetAtt']))
    return value['Fn::GetAtt'].map(withoutHash).join('.');
  if ('Fn::Join' in value && Array.isArray(value['Fn::Join'])) return [shorten(value['Fn::Join'][1])].flat(2).join('');
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shorten(member)]));
}

/** @returns a logical id without its hash: the construct id with those of its parents */
export function withoutHash(logicalId: string): string {
  return logicalId.replace(/[0-9A-F]{8}$/, '');
}
