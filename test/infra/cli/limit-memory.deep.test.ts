import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const SCRIPT = `${import.meta.dirname}/hungry-command.ts`;

const LINUX_ONLY = process.platform === 'linux' ? ['buffers'] : []; // only Linux states how much memory another process has

test.each(['heap', ...LINUX_ONLY])(
  'a command that fills the memory with its %s ends, and names the file',
  async (what) => {
    await expect(run(process.execPath, [SCRIPT, what])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('endcap: facts/pla/delivery.csv needs more memory than 300 MB: split it'),
    });
  },
);

test('a command that needs less memory ends with its own exit code and output', async () => {
  await expect(run(process.execPath, [SCRIPT, 'little'])).rejects.toMatchObject({ code: 7, stdout: 'done\n' });
});
