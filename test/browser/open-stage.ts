import type { TestProject } from 'vitest/node';
import { startTestStage } from '../support/stage.ts';
import { findBrowser } from './find-browser.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The base URL of the local stage with the demo network. */
    readonly url: string;
    /** The path of the browser. */
    readonly browser: string;
  }
}

/** Starts the stage that all files use. @returns the function that stops it */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  project.provide('browser', findBrowser());
  const stage = await startTestStage({ demo: true });
  project.provide('url', await stage.url());
  return () => stage.close();
}
