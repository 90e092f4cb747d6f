export { installLine } from './install-line.ts';
export { openHub } from './open-hub.ts';
export { type FoundListing, type HubAnswer, searchHub } from './search-hub.ts';
