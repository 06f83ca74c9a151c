import {
  CreateTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { TABLE_KEYS } from '../../../config/service.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from './local-credentials.ts';

/** Creates the table unless it exists, and waits until it is ready. */
export async function createTable(endpoint: string, tableName: string): Promise<void> {
  const client = new DynamoDBClient({ endpoint, region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS });
  const command = new CreateTableCommand({
    TableName: tableName,
    AttributeDefinitions: Object.values(TABLE_KEYS).map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: TABLE_KEYS.partition, KeyType: 'HASH' },
      { AttributeName: TABLE_KEYS.sort, KeyType: 'RANGE' },
    ],
    BillingMode: 'PAY_PER_REQUEST',
  });
  try {
    await client.send(command).catch((error: unknown) => {
      if (!(error instanceof ResourceInUseException)) throw error;
    });
    await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 0.02, maxDelay: 0.1 }, { TableName: tableName });
  } finally {
    client.destroy();
  }
}
