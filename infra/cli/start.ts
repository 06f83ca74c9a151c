import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { DEMO_KEYS } from '../../shared/demo/keys.ts';
import type { Progress } from '../../shared/load/load-report.ts';
import { type DataDir, findRunningStage, openDataDir } from '../local/data-dir.ts';
import { docsPages } from '../local/docs.ts';
import { loadPlannedDemo, planDemo } from '../local/first-start.ts';
import { writeDemoFiles, yesterdayIn } from '../local/load-demo.ts';
import { openLocalPlatform, readDefinition, timeZoneOf } from '../local/local-platform.ts';
import { createStageServer } from '../local/stage-server.ts';
import { readContext, readSettings } from '../settings.ts';
import { type CliEnvironment, readCliEnvironment } from './environment.ts';
import { greeting } from './greeting.ts';
import { runCli } from './run-cli.ts';
import { showProgress } from './show-progress.ts';

await runCli(async () => {
  process.env.TZ = 'UTC'; // as Lambda has it
  const environment = readCliEnvironment();
  const dataDir = await takeDataDir(environment);
  await refuseBusyPort(environment.port);

  const say = (text: string) => void process.stdout.write(`${text}\n`);
  const demo = planDemo(dataDir, environment.demoEnd ?? yesterdayIn(readSettings(readContext()).timeZone));
  if (demo !== undefined) say('First start: bundling the functions and making the demo network, which takes a moment…');
  const [definition, files] = await Promise.all([
    readDefinition(),
    demo === undefined ? undefined : writeDemoFiles(join(dataDir.path, 'demo-files'), demo.end),
  ]);
  const platform = await openLocalPlatform(definition, {
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

  const [demoKey] = demoEnd === undefined ? [] : Object.keys(DEMO_KEYS);
  const pages = docsPages({
    stageName: definition.stageName,
    ...(demoKey === undefined ? {} : { demoKey }),
  });
  const server = createStageServer(platform.stage, pages);
  const url = `http://localhost:${await server.listen(environment.port)}`;
  dataDir.writeRunning({
    pid: process.pid,
    url,
    dynamodb: platform.endpoint,
    tableName: platform.table.name,
    timeZone: timeZoneOf(definition),
  });
  say(greeting({ base: `${url}/${definition.stageName}`, dataDir: relative('.', dataDir.path), demoEnd }));

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
