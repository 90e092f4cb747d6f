export { type Authenticator, createKeyAuthenticator, INVALID_KEY, MIN_STRONG_KEY } from './api-keys.ts';
export type { Route } from './handle-request.ts';
export { errorBody, HttpError } from './http-error.ts';
export type { HttpRequest } from './http-request.ts';
export type { HttpResponse, ServerSentEvent } from './http-response.ts';
export { isLoopbackHost } from './origin-check.ts';
export { type HttpServer, type HttpServerOptions, startHttpServer } from './http-server.ts';
