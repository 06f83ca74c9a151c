import { join } from 'node:path';
import { Aws, Duration, Stack } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { MCP, ROUTES } from '../config/routes.ts';
import type { Settings } from '../config/settings.ts';
import { ApiFunction } from './api-function.ts';
import type { AlarmRow } from './monitor/add-alarm.ts';

const INTERVAL = Duration.minutes(5);

interface ServiceCheckProps {
  readonly settings: Settings;
  readonly bundles: string;
  /** Of the API, with its stage. */
  readonly url: string;
  readonly functions: ReadonlyMap<string, ApiFunction>;
}

/** The function that sends a request to each route, with the key that the operator has put into a parameter of Systems Manager, and its schedule. */
export class ServiceCheck extends Construct {
  readonly handler: ApiFunction;
  readonly alarm: AlarmRow;

  constructor(scope: Construct, id: string, { settings, bundles, url, functions }: ServiceCheckProps) {
    super(scope, id);
    const parameter = `endcap/${Aws.STACK_NAME}/check-key`;
    const isHook = settings.deployment === 'canary';
    const versions = isHook
      ? [...functions].map(([name, { currentVersion }]) => [name, currentVersion.functionArn])
      : [];
    this.handler = new ApiFunction(this, 'CheckService', {
      bundle: join(bundles, 'check-service'),
      memory: 512,
      timeout: 180,
      environment: {
        API_URL: url,
        KEY_PARAMETER: `/${parameter}`,
        ROUTES: JSON.stringify([...ROUTES, MCP], ['id', 'method', 'path', 'function']),
        VERSIONS: Stack.of(this).toJsonString(Object.fromEntries(versions)),
      },
      settings,
    });
    const allow = (action: string, resources: string[]) =>
      this.handler.addToRolePolicy(new PolicyStatement({ actions: [action], resources }));
    const stack = Stack.of(this);
    allow('ssm:GetParameter', [stack.formatArn({ service: 'ssm', resource: 'parameter', resourceName: parameter })]);
    if (isHook)
      allow(
        'lambda:InvokeFunction',
        versions.map(([, arn = '']) => arn),
      );
    if (settings.probe) {
      new Rule(this, 'Schedule', {
        description: 'Sends a request to each route of the API',
        schedule: Schedule.rate(INTERVAL),
        targets: [new LambdaFunction(this.handler.live)],
      });
    }
    this.alarm = {
      id: 'ProbeAlarm',
      severity: 'page',
      description:
        'A valid request to the address of the API, through DNS, certificate and mapping, got no response or not status 200. The log of the function CheckService has the route and the response.',
      metric: this.handler.metricErrors({ period: INTERVAL, statistic: Stats.SUM }),
      threshold: 0,
      datapoints: 2,
      periods: 3,
      missingIsBreaching: true,
    };
  }
}
