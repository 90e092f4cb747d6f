export { createKeyAuthenticator } from './api-keys.ts';
export { HttpError } from './http-error.ts';
export { isLoopbackHost } from './origin-check.ts';
export { type HttpServer, type HttpServerOptions, startHttpServer } from './http-server.ts';
