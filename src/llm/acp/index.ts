export { type AcpModelClientOptions, createAcpModelClient } from './acp-client.ts';
