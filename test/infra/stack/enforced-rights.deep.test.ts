import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOADED_PARTITIONS, partitionPattern } from '../../../infra/config/partition-permissions.ts';
import { FUNCTION_ROUTES } from '../../../infra/config/routes.ts';
import { STAGE_NAME } from '../../../infra/config/service.ts';
import { type Gateway, openGateway } from '../../../infra/local/emulator/gateway/gateway.ts';
import { createGatewayServer } from '../../../infra/local/emulator/gateway/gateway-server.ts';
import { openLocalStage } from '../../../infra/local/local-stage.ts';
import { pascalCase } from '../../../infra/stack/pascal-case.ts';
import { loadFolder, recordRejection } from '../../../shared/load/load-folder.ts';
import { WAITING_RANGE, waitingKey } from '../../../shared/store/table/item-keys.ts';
import { openTable } from '../../../shared/store/table/table.ts';
import { discoverTestData } from '../../deploy/black-box/discover.ts';
import type { TestData } from '../../deploy/black-box/suite.ts';
import { runSuite } from '../../deploy/black-box/suite.ts';
import { keys, listings, paging, reports } from '../../deploy/black-box/suites.ts';
import { tokens } from '../../deploy/black-box/tokens.ts';
import { createDemoKeys } from '../../deploy/support/demo-keys.ts';
import { openTarget, type Target } from '../../deploy/target.ts';
import { folderOf } from '../../load/support/folder.ts';
import { FACTS, NETWORK } from '../../load/support/network-rows.ts';
import { listen } from '../../support/gateway-server.ts';
import { copyOfDemo, DEMO_END } from '../../support/stage.ts';
import { useEngine } from '../../support/use-engine.ts';
import { userIdKey } from '../../support/user-id-key.ts';
import { type GuardedTable, guardTable } from './guarded-table.ts';
import { isAllowed, type Policy, policyOf } from './policy.ts';
import { synthesizeDefault } from './synthesized.ts';

const template = synthesizeDefault();

describe('with only the permissions of its own function', () => {
  let folder: string;
  let stage: Awaited<ReturnType<typeof openLocalStage>>;
  let gateway: Gateway;
  let server: ReturnType<typeof createGatewayServer>;
  let guarded: GuardedTable;
  let target: Target;
  let testData: TestData;

  beforeAll(async () => {
    folder = await copyOfDemo();
    stage = await openLocalStage({ folder });
    guarded = await guardTable(stage.endpoint, policyOf(template, 'GetJwt'));
    const environment = { ...stage.environment, AWS_ENDPOINT_URL_DYNAMODB: guarded.endpoint };
    gateway = openGateway(stage.definition, { environment, onLog: () => undefined });
    server = createGatewayServer(gateway);
    const url = `http://127.0.0.1:${await listen(server)}/${STAGE_NAME}`;
    const open = openTarget({ name: 'guarded', url, keys: await createDemoKeys(stage.table) });
    target = {
      ...open,
      send: (request) => {
        guarded.policy = policyOf(template, functionOf(request.path.replace(/\?.*/, '')));
        return open.send(request);
      },
    };
    testData = await discoverTestData(target, DEMO_END);
  });
  afterAll(async () => {
    await server.close();
    await gateway.close();
    await guarded[Symbol.asyncDispose]();
    await stage.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const suite of [listings, paging, keys, reports, tokens]) {
    runSuite(suite, { targets: () => [target], testData: () => testData });
  }

  test('no call is denied, and every kind of partition that routes read is read', () => {
    expect(guarded.denied).toEqual([]);
    const partitions = new Set([...guarded.allowed].map((call) => call.split(' ')[1]));
    expect([...partitions].sort()).toEqual([
      'ACCOUNT',
      'ADGROUP',
      'CHANGES',
      'COLUMNS',
      'COMMIT',
      'DIMENSION',
      'FACTS',
      'KEY',
      'LISTING',
      'ROLLUP',
      'USAGE',
      'USER',
      'VIEW',
    ]);
  });
});

/** @returns the construct id of the function that a path is routed to */
function functionOf(path: string): string {
  const route = FUNCTION_ROUTES.find(({ path: pattern }) =>
    new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  if (route === undefined) throw new Error(`${path} has no route`);
  return pascalCase(route.function);
}

describe('the ingestion', () => {
  const engine = useEngine();

  test('loads a folder, replaces it and deletes what was superseded, with only its permissions', async () => {
    const { tableName } = await engine.createTable();
    await using guarded = await guardTable(engine.endpoint, policyOf(template, 'IngestionIngestFolder'));
    const table = openTable({ tableName, endpoint: guarded.endpoint, region: 'us-east-1', requestMs: 30_000 });
    let now = Date.parse('2026-03-01T00:00:00Z');
    const load = async (rows: Parameters<typeof folderOf>[0]) => {
      using folder = folderOf(rows);
      now += 100 * 86_400_000; // by then a load may delete what the one before has superseded
      return await loadFolder({
        userIdKey,
        folder: folder.path,
        table,
        timeZone: 'UTC',
        limits: { threads: 0 },
        clock: () => now,
        markedAt: new Date(now),
      });
    };
    const renamed = NETWORK.accounts?.map((account) => ({ ...account, name: `${account.name} II` })) ?? [];
    const outcomes = [
      await load({ ...NETWORK, ...FACTS }),
      await load({ accounts: renamed, ...FACTS, contacts: [] }),
      await load({ ...NETWORK, deletions: [{ experience: 'pla', table: 'delivery', day: '2026-03-03' }] }),
    ];
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['loaded', 'loaded', 'loaded']);
    await recordRejection(table, { folder: 'f/' }, await load({ accounts: [{ id: 0, name: 'A' }] }));
    await table.put({ ...waitingKey('f/'), event: '{}' });
    const waiting = await table.query({ ...WAITING_RANGE, consistent: true });
    expect(waiting.map(({ event }) => event)).toEqual(['{}']);
    for (const item of waiting) await table.delete(item);
    expect(guarded.denied).toEqual([]);
    const written = [...guarded.allowed].filter((call) => /:(Put|Update|Delete|BatchWrite)/.test(call));
    expect([...new Set(written.map((call) => call.split(' ')[1]))].sort()).toEqual(
      [...new Set(['AUDIT', ...LOADED_PARTITIONS.map((name) => partitionPattern(name).replace(/#.*/, ''))])].sort(),
    );
  });
});

describe('an attacker who controls a function', () => {
  const may = (functionId: string, action: string, ...partitions: string[]): boolean => {
    const policy: Policy = policyOf(template, functionId);
    return isAllowed(policy, `dynamodb:${action}`, partitions);
  };

  test.each([
    ['IngestionIngestFolder', 'PutItem', ['KEY#0123']],
    ['IngestionIngestFolder', 'UpdateItem', ['KEYS#ana']],
    ['IngestionIngestFolder', 'DeleteItem', ['VIEW#ana']],
    ['IngestionIngestFolder', 'BatchWriteItem', ['FACTS#1', 'KEY#0123']],
    ['IngestionIngestFolder', 'GetItem', ['KEY#0123']],
    ['IngestionIngestFolder', 'Scan', []],
    ['IngestionIngestFolder', 'DeleteItem', []],
    ['ListPlacements', 'Query', ['LISTING#contacts#1']],
    ['ListPlacements', 'BatchGetItem', ['COMMIT', 'FACTS#1']],
    ['ListPlacements', 'PutItem', ['LISTING#placements#all']],
    ['ListContacts', 'UpdateItem', ['USER#ana']],
    ['ListAccounts', 'Query', ['KEYS#ana']],
    ['ListAccounts', 'UpdateItem', ['KEY#0123']],
    ['ListAccounts', 'PutItem', ['USAGE#0123']],
    ['IngestionIngestFolder', 'UpdateItem', ['USAGE#0123']],
    ['IngestionIngestFolder', 'DeleteItem', ['AUDIT#2026-03']],
    ['IngestionIngestFolder', 'UpdateItem', ['AUDIT#2026-03']],
    ['IngestionIngestFolder', 'PutItem', ['AUDIT#2026-03']],
    ['IngestionIngestFolder', 'DeleteItem', ['AUDIT#LOAD#2026-03']],
    ['ListAccounts', 'PutItem', ['AUDIT#2026-03']],
    ['SubmitReport', 'BatchWriteItem', ['USAGE#0123', 'FACTS#1']],
    ['GetJwt', 'Query', ['LISTING#accounts#ana']],
    ['GetJwt', 'Scan', []],
    ['GetJwt', 'Query', []],
  ])('cannot use %s to %s %j', (functionId, action, partitions) => {
    expect(may(functionId, action, ...partitions)).toBe(false);
  });
});
