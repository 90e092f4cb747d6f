export { openHub } from './open-hub.ts';
export { type FoundListing, type HubAnswer, installCommand, searchHub } from './search-hub.ts';
