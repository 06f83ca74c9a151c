import type { TestProject } from 'vitest/node';
import { openEngine } from '../../infra/local/emulator/services/table-engine.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the emulated DynamoDB in which all test files create their tables. */
    readonly engineUrl?: string;
  }
}

/** Starts the emulated DynamoDB of the run. @returns the function that stops it */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, close } = await openEngine();
  project.provide('engineUrl', url);
  return close;
}
