export { findHistoryFaults } from './history-faults.ts';
export {
  createProviderServer,
  type ProviderScript,
  type ProviderServer,
  type ProviderServerOptions,
} from './provider-server.ts';
export type { ReceivedRequest } from './received-request.ts';
export type { ReceivedMessage, ReceivedToolCall } from './wire.ts';
