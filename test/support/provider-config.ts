import type { ProviderServer } from '../../src/testing/index.ts';

/** A configuration with a provider server as its only model. */
export function configFor(server: ProviderServer): string {
  const lines = ['provider: custom', 'default: test-model', `base_url: ${server.url}/v1`, 'api_key: test-key'];
  return `model:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
