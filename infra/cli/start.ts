import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import type { Progress } from '../../shared/load/load-report.ts';
import { createGatewayServer } from '../emulator/gateway-server.ts';
import { ENGINES } from '../emulator/services/table-engine.ts';
import { readContext, readSettings } from '../settings.ts';
import { type DataDir, findRunningStage, openDataDir } from '../start/data-dir.ts';
import { workingDemoKeys } from '../start/demo-keys.ts';
import { docsPages } from '../start/docs.ts';
import { loadPlannedDemo, planDemo } from '../start/first-start.ts';
import { greeting } from '../start/greeting.ts';
import { lastWeek } from '../start/last-week.ts';
import { writeDemoFiles, yesterdayIn } from '../start/load-demo.ts';
import { openLocalStage, readStageDefinition, timeZoneOf } from '../start/local-stage.ts';
import { type CliEnvironment, readCliEnvironment } from './environment.ts';
import { readArguments } from './read-arguments.ts';
import { runCli } from './run-cli.ts';
import { showProgress } from './show-progress.ts';

const USAGE = `usage: npm start

Serves the whole service on this machine, over the data in a folder; on the first start the demo network is loaded there. The environment says how:
  PORT             3000 unless given; 0 takes any free one
  DATA_DIR         where the data is kept; .endcap unless given
  DEMO_END         last day of the demo network, YYYY-MM-DD; yesterday unless given
  DYNAMODB_ENGINE  ${ENGINES.join(' or ')}; ${ENGINES[0]} unless given`;

await runCli(async () => {
  const { values, positionals } = readArguments({ help: { type: 'boolean', short: 'h' } }, USAGE);
  if (values.help === true) return void process.stdout.write(`${USAGE}\n`);
  if (positionals.length > 0) throw new Error(`it takes no arguments\n${USAGE}`);
  process.env.TZ = 'UTC'; // as Lambda has it
  const environment = readCliEnvironment();
  const dataDir = await takeDataDir(environment);
  await refuseBusyPort(environment.port);

  const say = (text: string) => void process.stdout.write(`${text}\n`);
  const lastDay = environment.demoEnd ?? yesterdayIn(readSettings(readContext()).timeZone);
  const demo = planDemo(dataDir, lastDay);
  if (demo !== undefined) say('First start: bundling the functions and making the demo network, which takes a moment…');
  const [definition, files] = await Promise.all([
    readStageDefinition(),
    demo === undefined ? undefined : writeDemoFiles(join(dataDir.path, 'demo-files'), demo.end),
  ]);
  const platform = await openLocalStage(definition, {
    folder: dataDir.path,
    engine: environment.engine,
    onLog: (text) => void process.stderr.write(text),
  });
  platform.failed.catch((error: Error) => {
    process.stderr.write(`endcap: the table has failed, start again: ${error.message}\n`);
    process.exit(1);
  });
  const bar = showProgress(process.stderr);
  const onProgress = (progress: Progress) => bar.update(progress);
  const demoEnd = await loadPlannedDemo(dataDir, platform, demo, files, { say, onProgress });
  bar.end();

  const end = demoEnd ?? lastDay;
  const demoKeys = () => workingDemoKeys(platform.table);
  const pages = docsPages({ stageName: definition.stageName, examplePeriod: lastWeek(end), demoKeys });
  const server = createGatewayServer(platform.stage, pages);
  const url = `http://localhost:${await server.listen(environment.port)}`;
  dataDir.writeRunning({
    pid: process.pid,
    url,
    dynamodb: platform.endpoint,
    tableName: platform.table.name,
    timeZone: timeZoneOf(definition),
  });
  const base = `${url}/${definition.stageName}`;
  say(greeting({ base, dataDir: relative('.', dataDir.path), end, demoKeys: await demoKeys() }));

  let stoppingSince: number | undefined;
  const stop = async () => {
    // npm hands Ctrl-C on, so that it arrives twice; asked once more, it no longer waits for anything
    if (stoppingSince !== undefined && performance.now() - stoppingSince > 1_000) process.exit(130);
    if (stoppingSince !== undefined) return;
    stoppingSince = performance.now();
    dataDir.removeRunning();
    await server.close();
    await platform.close();
    process.exit();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
});

async function takeDataDir({ dataDir, engine }: CliEnvironment): Promise<DataDir> {
  const opened = openDataDir(dataDir, engine);
  const running = await findRunningStage(dataDir);
  if (running === undefined) return opened;
  throw new Error(`a stage runs on ${dataDir} already: ${running.url} (process ${running.pid})`);
}

/** Early, before anything slow. */
async function refuseBusyPort(port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const probe = createServer().once('error', reject);
  probe.listen(port, '127.0.0.1', () => probe.close(() => resolve()));
  await promise.catch((error: Error) => {
    const inUse = 'code' in error && error.code === 'EADDRINUSE';
    throw new Error(
      `port ${port} ${inUse ? 'is in use' : `cannot be used (${error.message})`}: set PORT to another one`,
    );
  });
}
