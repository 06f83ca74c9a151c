import * as z from 'zod';
import { isGatewayResponseType } from './gateway-response-types.ts';

/** A value that may be text or an intrinsic function, which is resolved where the value is used. */
const value = z.unknown();

/** A reference to another resource of the template. */
const reference = z.strictObject({ Ref: z.string() });

/** A property or resource that does not affect the responses of the local stage; the argument is the reason. */
const ignored = (reason: string) => z.unknown().optional().describe(reason);

const permissions = ignored('IAM is not emulated: any process on this machine may call the functions and the table');
const cloudLogs = ignored('the process writes all logs to its output, and there are no metrics');
const tracing = ignored('there is no X-Ray');
const cloudScale = ignored('the capacity is that of the machine');
const firewall = ignored('only the machine itself can reach a loopback address');
const naming = ignored('descriptive text');
const ingestion = ignored('npm run load loads folders without a bucket');
const lifecycle = ignored('only CloudFormation uses it, to create, replace and delete resources');
const deployment = ignored('every start runs the current code');
const wiring = ignored('there is one API and one stage');

const MethodSetting = z
  .strictObject({
    // API Gateway rejects ANY here
    HttpMethod: z.enum(['*', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']),
    ResourcePath: z.string(),
    ThrottlingRateLimit: z.number().optional(),
    ThrottlingBurstLimit: z.int().optional(),
    LoggingLevel: cloudLogs,
    DataTraceEnabled: cloudLogs,
    MetricsEnabled: cloudLogs,
  })
  .refine(
    ({ HttpMethod, ResourcePath }) => (HttpMethod === '*') === (ResourcePath === '/*'),
    'only settings of all methods, or of one method of one path, are emulated',
  )
  .refine(
    ({ ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst }) => rate !== undefined || burst === undefined,
    'a burst limit without a rate limit is not emulated',
  );
export type MethodSetting = z.output<typeof MethodSetting>;

/**
 * The resource types and properties that the local stage emulates or deliberately ignores. Resources of any other type, and resources with any other
 * property, are rejected, because the local stage would otherwise silently respond differently from the deployed service. Other sections of the template
 * are ignored.
 */
const EMULATED = {
  'AWS::ApiGateway::RestApi': z.strictObject({
    MinimumCompressionSize: z.int().optional(),
    BinaryMediaTypes: z.array(z.string()).optional(),
    Name: naming,
    Description: naming,
    Tags: naming,
    EndpointConfiguration: ignored('loopback is the only endpoint'),
  }),
  'AWS::ApiGateway::Resource': z.strictObject({
    ParentId: value,
    PathPart: z.string().regex(/^[^+]+$/, 'greedy path parameters are not emulated'),
    RestApiId: wiring,
  }),
  'AWS::ApiGateway::Method': z.strictObject({
    HttpMethod: z.string(),
    ResourceId: value,
    AuthorizationType: z.literal('NONE'),
    Integration: z.strictObject({
      Type: z.literal('AWS_PROXY'),
      IntegrationHttpMethod: z.literal('POST'),
      Uri: value,
      TimeoutInMillis: z.int().optional(),
    }),
    RestApiId: wiring,
  }),
  'AWS::ApiGateway::GatewayResponse': z.strictObject({
    ResponseType: z.string().refine(isGatewayResponseType, 'is not a supported type of gateway response'),
    StatusCode: z
      .string()
      .regex(/^\d{3}$/)
      .optional(),
    ResponseParameters: z.record(z.templateLiteral(['gatewayresponse.header.', z.string()]), literal()).optional(),
    ResponseTemplates: z.strictObject({ 'application/json': z.string() }).optional(),
    RestApiId: wiring,
  }),
  'AWS::ApiGateway::Stage': z.strictObject({
    StageName: z.string(),
    MethodSettings: z.array(MethodSetting).optional(),
    AccessLogSetting: cloudLogs,
    DeploymentId: wiring,
    RestApiId: wiring,
    Tags: naming,
    TracingEnabled: tracing,
  }),
  'AWS::Lambda::Function': z.strictObject({
    Code: z.strictObject({ S3Bucket: value, S3Key: z.string().regex(/^[0-9a-f]+\.zip$/) }),
    Environment: z.strictObject({ Variables: z.record(z.string(), value) }).optional(),
    Handler: z.string().regex(/^\w+\.\w+$/),
    MemorySize: z.int().default(128),
    Runtime: z.literal('nodejs24.x'),
    Timeout: z.number().positive().default(3),
    Architectures: ignored('bundles are JavaScript'),
    EphemeralStorage: ingestion,
    ReservedConcurrentExecutions: cloudScale,
    LoggingConfig: z
      .strictObject({
        ApplicationLogLevel: z.string().optional(),
        LogFormat: cloudLogs,
        LogGroup: cloudLogs,
        SystemLogLevel: cloudLogs,
      })
      .optional(),
    Role: permissions,
    Tags: naming,
    TracingConfig: tracing,
  }),
  'AWS::Lambda::Version': z.strictObject({ FunctionName: reference }),
  'AWS::Lambda::Alias': z.strictObject({
    Name: z.string(),
    FunctionName: reference,
    // a number would be an older version, whose code is not in the template
    FunctionVersion: z.strictObject({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Version')]) }),
    ProvisionedConcurrencyConfig: cloudScale,
  }),
  'AWS::DynamoDB::GlobalTable': z.strictObject({
    AttributeDefinitions: z.array(
      z.strictObject({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) }),
    ),
    KeySchema: z.array(z.strictObject({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) })),
    BillingMode: z.literal('PAY_PER_REQUEST'),
    Replicas: ignored('there is one copy, in DATA_DIR'),
    TimeToLiveSpecification: ignored(
      'DynamoDB may take days to delete expired items, so no response depends on their deletion',
    ),
  }),
  'AWS::KMS::Key': z.strictObject({
    KeySpec: z.enum(['ECC_NIST_P256', 'HMAC_256']),
    KeyUsage: z.enum(['SIGN_VERIFY', 'GENERATE_VERIFY_MAC']),
    MultiRegion: ignored('there is one region'),
    Description: naming,
    KeyPolicy: permissions,
    Tags: naming,
  }),
  'AWS::ApiGateway::Account': cloudLogs,
  'AWS::ApiGateway::BasePathMapping': wiring,
  'AWS::ApiGateway::Deployment': wiring,
  'AWS::ApiGateway::DomainName': wiring,
  'AWS::CloudWatch::Alarm': cloudLogs,
  'AWS::CloudWatch::Dashboard': cloudLogs,
  'AWS::CloudWatch::InsightRule': cloudLogs,
  'AWS::CodeDeploy::Application': deployment,
  'AWS::CodeDeploy::DeploymentGroup': deployment,
  'AWS::Events::Rule': ingestion,
  'AWS::IAM::Policy': permissions,
  'AWS::IAM::Role': permissions,
  'AWS::KMS::Alias': ignored('the hashing key for shopper ids is a file of the data folder'),
  'AWS::Lambda::EventSourceMapping': ingestion,
  'AWS::Lambda::Permission': permissions,
  'AWS::Logs::LogGroup': cloudLogs,
  'AWS::S3::Bucket': ingestion,
  'AWS::S3::BucketPolicy': permissions,
  'AWS::SNS::Subscription': cloudLogs,
  'AWS::SNS::Topic': cloudLogs,
  'AWS::SNS::TopicPolicy': permissions,
  'AWS::SQS::Queue': ingestion,
  'AWS::SQS::QueuePolicy': permissions,
  'AWS::WAFv2::LoggingConfiguration': firewall,
  'AWS::WAFv2::WebACL': firewall,
  'AWS::WAFv2::WebACLAssociation': firewall,
} as const;
export type EmulatedType = keyof typeof EMULATED;

/** A header's value as a literal in single quotes; values taken from request parameters are not emulated. */
function literal() {
  return z
    .string()
    .regex(/^'.*'$/)
    .transform((quoted) => quoted.slice(1, -1));
}

const Resource = z.strictObject({
  Type: z.string(),
  Properties: z.unknown().optional(),
  DependsOn: lifecycle,
  Metadata: lifecycle,
  DeletionPolicy: lifecycle,
  UpdatePolicy: deployment,
  UpdateReplacePolicy: lifecycle,
});
/** Other sections than the resources are ignored. */
const Template = z.object({ Resources: z.record(z.string(), Resource) });

type Properties<Type extends EmulatedType> = z.output<(typeof EMULATED)[Type]>;

/** The resources of a template, with validated and typed properties. */
export interface EmulatedResources {
  all<Type extends EmulatedType>(type: Type): (readonly [id: string, properties: Properties<Type>])[];
}

/**
 * @param template in CloudFormation's JSON form
 * @throws ZodError if a resource has an unknown attribute, such as Condition; otherwise an Error that lists every resource type and property that the
 * local stage does not emulate
 */
export function readResources(template: unknown): EmulatedResources {
  const resources = Object.entries(Template.parse(template).Resources);
  const problems = resources.flatMap(([id, { Type, Properties = {} }]) => {
    if (!isEmulated(Type)) return [`${id}: resources of type ${Type}`];
    const read = EMULATED[Type].safeParse(Properties);
    return read.success ? [] : read.error.issues.map((issue) => `${id} (${Type}): ${describe(issue)}`);
  });
  if (problems.length > 0) throw new Error(`the local stage does not emulate:\n  ${problems.join('\n  ')}`);
  return {
    all: <Type extends EmulatedType>(type: Type) =>
      resources
        .filter(([, resource]) => resource.Type === type)
        // TypeScript does not infer that EMULATED[type] returns Properties<Type>
        .map(([id, { Properties = {} }]) => [id, EMULATED[type].parse(Properties) as Properties<Type>] as const),
  };
}

function isEmulated(type: string): type is EmulatedType {
  return Object.hasOwn(EMULATED, type);
}

function describe(issue: z.core.$ZodIssue): string {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys')
    return `the property ${[path, issue.keys.join(', ')].filter(Boolean).join('.')}`;
  return `the property ${path}: ${issue.message}`;
}
