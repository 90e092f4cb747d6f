export { type HttpReply, toNetworkError } from './exchange.ts';
export { createHttpClient, type HttpClient } from './http-client.ts';
