import {
  CreateTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { LOCAL_REGION } from '../template/pseudo-parameters.ts';
import type { TableDefinition } from '../template/stage-definition.ts';
import { LOCAL_CREDENTIALS } from './local-credentials.ts';

/** Creates the template's tables that do not exist yet, and waits until they are ready. */
export async function createTables(endpoint: string, definitions: readonly TableDefinition[]): Promise<void> {
  const client = new DynamoDBClient({ endpoint, region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS });
  try {
    for (const { name, attributes, keys } of definitions) {
      const command = new CreateTableCommand({
        TableName: name,
        AttributeDefinitions: [...attributes],
        KeySchema: [...keys],
        BillingMode: 'PAY_PER_REQUEST',
      });
      await client.send(command).catch((error: unknown) => {
        if (!(error instanceof ResourceInUseException)) throw error;
      });
      await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 0.02, maxDelay: 0.1 }, { TableName: name });
    }
  } finally {
    client.destroy();
  }
}
