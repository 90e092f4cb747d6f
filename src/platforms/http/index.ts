export type { HttpReply } from './exchange.ts';
export { createHttpClient, type HttpClient } from './http-client.ts';
export { toNetworkError } from './http-failure.ts';
