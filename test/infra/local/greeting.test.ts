import { expect, test } from 'vitest';
import { greeting } from '../../../infra/local/greeting.ts';

const commands = (dataDir: string) =>
  greeting({ base: 'http://localhost:3000/v2', dataDir, end: '2026-03-01', demoKeys: [] })
    .split('\n')
    .filter((line) => line.includes('npm run'));

test('the commands for own data name the data folder, unless it is the default', () => {
  expect(commands('.endcap')).toEqual([
    'Load a folder with your data:        npm run load -- FOLDER',
    'Create a key for one of your users:  npm run key -- create --user ID',
  ]);
  expect(commands('../mine')).toEqual([
    'Load a folder with your data:        DATA_DIR=../mine npm run load -- FOLDER',
    'Create a key for one of your users:  DATA_DIR=../mine npm run key -- create --user ID',
  ]);
  expect(commands("my son's data")[0]).toContain(`DATA_DIR='my son'\\''s data' npm run load`);
});

test('each demo key is printed with its role and user', () => {
  const text = greeting({ base: 'x', dataDir: '', end: '2026-03-01', demoKeys: ['ecap_demo_cpg'] });
  expect(text).toContain('Demo keys: ecap_demo_cpg (Brand manager, user demo-cpg)');
});
