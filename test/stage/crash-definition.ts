import type { StageDefinition } from '../../infra/local/stage-definition.ts';

/** A stage of nothing but a table. */
export const crashDefinition: StageDefinition = {
  stageName: 'v9',
  apiId: 'none',
  resources: [],
  functions: new Map(),
  gatewayAnswers: new Map(),
  binaryMediaTypes: [],
  minimumCompressionSize: undefined,
  throttle: undefined,
  tables: [
    {
      name: 'Crash-Table',
      attributes: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      keys: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    },
  ],
  signingKeys: [],
};
