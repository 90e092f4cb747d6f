export { createPairing, type Pairing } from './people/pairing.ts';
export { runGateway, type RunGatewayOptions } from './run-gateway.ts';
