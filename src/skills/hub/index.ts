export { openHub } from './open-hub.ts';
export { type FoundListing, type HubAnswer, installLine, searchHub } from './search-hub.ts';
