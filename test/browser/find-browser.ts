import { existsSync } from 'node:fs';

const PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** @returns the path of a Chromium browser: that in the variable BROWSER_PATH, else the first at the usual places @throws an error that says what to install */
export function findBrowser(): string {
  const { BROWSER_PATH } = process.env;
  if (BROWSER_PATH !== undefined && !existsSync(BROWSER_PATH))
    throw new Error(`BROWSER_PATH is ${BROWSER_PATH}, where there is no file`);
  const found = BROWSER_PATH ?? PATHS.find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new Error(
    'The browser tests need Chromium or Chrome, and none was found. Install it (Debian and Ubuntu: apt-get install chromium; macOS: brew install --cask chromium), or set BROWSER_PATH.',
  );
}
