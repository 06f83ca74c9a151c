const EVERY_MS = 500;

/**
 * Ends this process as SIGTERM would once npm, which has started it, is gone. npm runs a script through a shell; the shell dies of the signal that
 * npm passes on to it without passing it on itself, and would leave us behind: on the port, with the data folder in use.
 */
export function endWithNpm(): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, EVERY_MS).unref();
}
