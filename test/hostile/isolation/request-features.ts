import { ROUTES } from '../../../infra/config/routes.ts';
import { DIMENSION_NAMES } from '../../../shared/catalog/dimensions.ts';
import { OPERATOR_NAMES } from '../../../shared/catalog/operators.ts';
import { REPORT_EXPERIENCES } from '../../../shared/catalog/tables.ts';
import { operations } from '../../contract/openapi/document.ts';
import { formatsOf, type OperationRequest, operationOf } from '../support/random-request.ts';

const isId = (name: string) => name.endsWith('_id');

/** What the requests must have covered: each experience, each filter operator, each place of an id, each format of each operation, and items of each listing. */
export const FEATURES: readonly string[] = [
  ...REPORT_EXPERIENCES.map((name) => `experience ${name}`),
  ...OPERATOR_NAMES.map((operator) => `operator ${operator}`),
  ...operations.flatMap(([, , { operationId, parameters = [] }]) =>
    parameters.filter(({ name }) => isId(name)).map(({ name }) => `id ${operationId} ${name}`),
  ),
  ...['compare', 'id advertiserIds', ...DIMENSION_NAMES.filter(isId).map((field) => `id filter ${field}`)],
  ...operations.flatMap(([, , operation]) =>
    formatsOf(operation).map((type) => `format ${operation.operationId} ${type}`),
  ),
  ...ROUTES.flatMap(({ id, operation }) => (operation.paged ? [`items ${id}`] : [])),
];

/**
 * @param type the media type of the response if its status is 200; a format that was requested but not sent is not covered
 * @param body the response, to see whether a listing has items
 * @returns which of the features the request has
 */
export function featuresOf(request: OperationRequest, type: string | undefined, body: string): string[] {
  const { operationId } = operationOf(request);
  const names = [...Object.keys(request.pathParameters), ...request.query.map(([name]) => name)];
  const { filters = [], advertiserIds = [], compare } = reportOf(request);
  const experience = request.pathParameters.experience_name;
  return [
    ...(experience === undefined ? [] : [`experience ${experience.toLowerCase()}`]),
    ...names.filter(isId).map((name) => `id ${operationId} ${name}`),
    ...(advertiserIds.length > 0 ? ['id advertiserIds'] : []),
    ...(compare !== undefined && type !== undefined ? ['compare'] : []),
    ...filters.map(({ operator }) => `operator ${operator}`),
    ...filters.flatMap(({ field, values }) => (isId(field) && values.length > 0 ? [`id filter ${field}`] : [])),
    ...(type === undefined ? [] : [`format ${operationId} ${type}`]),
    ...(body.includes('"data":[{') ? [`items ${operationId}`] : []),
  ];
}

interface ReportView {
  readonly filters?: readonly {
    readonly field: string;
    readonly operator: string;
    readonly values: readonly string[];
  }[];
  readonly advertiserIds?: readonly number[];
  readonly compare?: unknown;
}

function reportOf({ body }: OperationRequest): ReportView {
  return body ?? {}; // a body of random-request.ts, or none
}
