import type { StageDefinition } from '../../../infra/emulator/template/stage-definition.ts';
import { tableDefinition } from '../../support/table.ts';

/** A stage that has a table and nothing else. */
export const TABLE_ONLY: StageDefinition = {
  stageName: 'v9',
  apiId: 'none',
  resources: [],
  functions: new Map(),
  gatewayResponses: new Map(),
  binaryMediaTypes: [],
  minimumCompressionSize: undefined,
  throttles: new Map(),
  tables: [tableDefinition('Only-Table')],
  signingKeys: [],
};
