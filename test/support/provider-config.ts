import type { ProviderServer } from '../../src/testing/index.ts';

/** A configuration with one model: that of a scripted provider. */
export function configFor(server: ProviderServer): string {
  const lines = ['provider: custom', 'default: test-model', `base_url: ${server.url}/v1`, 'api_key: test-key'];
  return `model:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
