export { checkUrl, kindOfAddress, type UrlRules } from './check-url.ts';
export { type FetchedPage, type FetchOptions, safeFetch } from './safe-fetch.ts';
