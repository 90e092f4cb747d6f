export { createPairing, type Pairing } from './people/pairing.ts';
export { runGateway } from './run-gateway.ts';
