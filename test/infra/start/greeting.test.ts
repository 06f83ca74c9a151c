import { expect, test } from 'vitest';
import { greeting } from '../../../infra/start/greeting.ts';

const start = (dataDir: string) =>
  greeting({ base: 'http://localhost:3000/v2', dataDir, end: '2026-03-01', demoKeys: [] })
    .split('\n')
    .filter((line) => line.includes('npm run'));

test('the next commands name the data folder, unless it is the one that they use anyway', () => {
  expect(start('.endcap')).toEqual([
    'Load a folder with your data:        npm run load -- FOLDER',
    'Create a key for one of your users:  npm run key -- create --user ID',
  ]);
  expect(start('../mine')).toEqual([
    'Load a folder with your data:        DATA_DIR=../mine npm run load -- FOLDER',
    'Create a key for one of your users:  DATA_DIR=../mine npm run key -- create --user ID',
  ]);
  expect(start("my son's data")[0]).toContain(`DATA_DIR='my son'\\''s data' npm run load`);
});

test('each demo key says whose view it gives', () => {
  const text = greeting({ base: 'x', dataDir: '', end: '2026-03-01', demoKeys: ['ecap_demo_cpg'] });
  expect(text).toContain('Demo keys: ecap_demo_cpg (Brand manager, user demo-cpg)');
});
