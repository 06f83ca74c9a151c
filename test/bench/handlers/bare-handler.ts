import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}));

/** The smallest useful function over DynamoDB: a document client and one read. */
export const handler = async (event: { readonly pk: string }) => {
  const { Item } = await documents.send(new GetCommand({ TableName: 'table', Key: { pk: event.pk, sk: 'HEAD' } }));
  return { statusCode: 200, body: JSON.stringify(Item) };
};
