import { createServer } from 'node:net';
import { relative } from 'node:path';
import { yesterdayIn } from '../../shared/lib/calendar.ts';
import type { Progress } from '../../shared/load/check/load-report.ts';
import { readCommit } from '../../shared/store/commit/commits.ts';
import { checkDataSettings } from '../../shared/store/data-settings.ts';
import { STAGE_NAME } from '../config/service.ts';
import { readOwnSettings } from '../config/settings.ts';
import { type DemoKey, formatDemoKeys, workingDemoKeys } from '../local/create-demo-keys.ts';
import { type DataDir, findRunningStage, openDataDir } from '../local/data-dir.ts';
import { createGatewayServer } from '../local/emulator/gateway/gateway-server.ts';
import { declineDemo, type LoadedDemo, loadPlannedDemo, planDemo } from '../local/first-start.ts';
import { greeting } from '../local/greeting.ts';
import { openLocalStage } from '../local/local-stage.ts';
import { shortenLog } from '../local/shorten-log.ts';
import { readCliEnvironment } from './environment.ts';
import { INTERRUPTED, onInterrupt } from './interruptible.ts';
import { readArguments, runCli } from './run-cli.ts';
import { showProgress } from './show-progress.ts';

const USAGE = `usage: npm start [-- --no-demo]

Runs the whole service on this machine. Its data is stored in a folder; the first start loads a demo network there.
  --no-demo        load no demo network, because you load your own data
Environment variables:
  PORT      default: 3000; 0 takes any free port
  DATA_DIR  the folder with the data; default: .endcap
  DEMO_END  last day of the demo network, YYYY-MM-DD; default: yesterday
  LOG       json prints the log lines of the functions as they are on AWS; default: a short line per request`;

const OPTIONS = { 'no-demo': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;

await runCli(async () => {
  const { values, positionals } = readArguments(OPTIONS, USAGE);
  if (values.help === true) return void process.stdout.write(`${USAGE}\n`);
  if (positionals.length > 0) throw new Error(`start takes only options\n${USAGE}`);
  process.env.TZ = 'UTC'; // as in Lambda
  const environment = readCliEnvironment();
  const dataDir = await openFreeDataDir(environment.dataDir);
  await checkPort(environment.port);

  const bar = showProgress(process.stderr);
  const say = (text: string) => {
    bar.end();
    process.stdout.write(`${text}\n`);
  };
  const settings = readOwnSettings();
  const { timeZone, currency, productIds } = settings;
  const loaded = { timeZone, currency, productIds, attribution: JSON.stringify(settings.attribution) };
  const lastDay = environment.demoEnd ?? yesterdayIn(timeZone);
  const demo = values['no-demo'] === true ? declineDemo(dataDir, say) : planDemo(dataDir, lastDay);
  const onProgress = (progress: Progress) => bar.update(progress);
  const first: LoadedDemo & { demoKeys: readonly DemoKey[] } = { end: lastDay, demoKeys: [] };
  const interruption = onInterrupt(() => {
    bar.end();
    process.exit(INTERRUPTED);
  });
  const opening = openLocalStage({
    folder: dataDir.path,
    settings,
    onBundle: () => say('Bundling the functions…'),
    onLog: (text) => void process.stderr.write(environment.logsJson ? text : shortenLog(text)),
    prepare: async (table) => {
      await checkDataSettings(table, await readCommit(table), loaded);
      Object.assign(first, await loadPlannedDemo(dataDir, { table, ...loaded }, demo, { say, onProgress }));
      first.demoKeys = await workingDemoKeys(table);
      return { EXAMPLE_END: first.end, DEMO_KEYS: formatDemoKeys(first.demoKeys) };
    },
  });
  const stage = await opening.finally(() => {
    bar.end();
    interruption[Symbol.dispose]();
  });
  stage.failed.catch((error: Error) => {
    process.stderr.write(`endcap: the table has failed; start again: ${error.message}\n`);
    process.exit(1);
  });

  const server = createGatewayServer(stage.gateway);
  const address = new URL(await server.listen({ host: '127.0.0.1', port: environment.port }));
  address.hostname = 'localhost';
  const url = address.origin;
  dataDir.writeRunning({
    pid: process.pid,
    url,
    dynamodb: stage.endpoint,
    tableName: stage.table.name,
    timeZone,
  });
  const base = `${url}/${STAGE_NAME}`;
  const { end, demoKeys, loadOlder } = first;
  say(greeting({ base, dataDir: relative('.', dataDir.path), end, demoKeys }));
  let isLoading = loadOlder !== undefined;
  onInterrupt(async () => {
    dataDir.removeRunning();
    await server.close();
    if (isLoading) process.exit(INTERRUPTED); // the table survives that, whereas the load would report each failed write
    await stage.close();
    process.exit();
  });
  if (loadOlder !== undefined) {
    say('The older days of the demo network are being loaded; until then, reports list them as missing.');
    await loadOlder();
    isLoading = false;
    say('All days of the demo network are loaded.');
  }
});

/** @throws an error if the folder cannot be used, or a local stage already runs on it */
async function openFreeDataDir(dataDir: string): Promise<DataDir> {
  const opened = openDataDir(dataDir);
  const running = await findRunningStage(dataDir);
  if (running === undefined) return opened;
  throw new Error(`a local stage already runs on ${dataDir}: ${running.url} (process ${running.pid})`);
}

/** @throws an error if the port is in use or cannot be used */
async function checkPort(port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const probe = createServer().once('error', reject);
  probe.listen(port, '127.0.0.1', () => probe.close(() => resolve()));
  await promise.catch((error: Error) => {
    const inUse = 'code' in error && error.code === 'EADDRINUSE';
    const problem = inUse ? 'is in use' : `cannot be used (${error.message})`;
    throw new Error(`port ${port} ${problem}: set PORT to another one`);
  });
}
