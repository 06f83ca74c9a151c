/** The exit code of a command that was interrupted. */
const INTERRUPTED = 130;
/** Sooner than this it is the same Ctrl-C. */
const AGAIN_MS = 1_000;

/**
 * Runs work that Ctrl-C ends by aborting its signal; a second Ctrl-C, a second later or more, ends it at once: npm passes the first one on,
 * so that under npm it arrives twice.
 * @param onInterrupt called when it is interrupted
 * @returns the exit code: that of the work, or 130 where it threw because it was interrupted
 */
export async function interruptible(
  onInterrupt: () => void,
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const interrupted = new AbortController();
  let since = 0;
  const interrupt = () => {
    if (interrupted.signal.aborted) {
      if (performance.now() - since >= AGAIN_MS) process.exit(INTERRUPTED);
      return;
    }
    since = performance.now();
    onInterrupt();
    interrupted.abort(new Error('it was interrupted'));
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    return await work(interrupted.signal);
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    return INTERRUPTED;
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}
