/** The exit code of a command that was interrupted. */
const INTERRUPTED = 130;

/**
 * Runs work that Ctrl-C ends by aborting its signal; a second Ctrl-C ends it at once.
 * @param onInterrupt called when it is interrupted
 * @returns the exit code: that of the work, or 130 where it threw because it was interrupted
 */
export async function interruptible(
  onInterrupt: () => void,
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const interrupted = new AbortController();
  const interrupt = () => {
    if (interrupted.signal.aborted) process.exit(INTERRUPTED);
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
