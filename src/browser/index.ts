export { type Browsers, createBrowsers } from './browsers.ts';
export { findBrowser } from './find-browser.ts';
export type { AddressCheck } from './guard.ts';
