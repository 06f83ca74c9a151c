import type { StageDefinition } from '../../../infra/emulator/template/stage-definition.ts';
import { tableDefinition } from '../../support/table.ts';

/** A stage of nothing but a table. */
export const crashDefinition: StageDefinition = {
  stageName: 'v9',
  apiId: 'none',
  resources: [],
  functions: new Map(),
  gatewayResponses: new Map(),
  binaryMediaTypes: [],
  minimumCompressionSize: undefined,
  tables: [tableDefinition('Crash-Table')],
  signingKeys: [],
};
