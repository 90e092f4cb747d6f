import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelChoice, Settings } from '../../src/config/index.ts';
import type { ModelRequest, ModelRoute } from '../../src/contracts/index.ts';
import { toEndpoint } from '../../src/providers/endpoint.ts';
import { openRoute } from '../../src/providers/route-candidate.ts';
import { settingsWith } from '../../src/providers/settings.test-helper.ts';
import type { TestCloud } from './cloud-server.ts';

const RECORDINGS = join(import.meta.dirname, '../recordings');

/** The bytes of a recorded stream. */
export function recorded(file: string): Buffer {
  return readFileSync(join(RECORDINGS, file));
}

export const ASKED: ModelRequest = {
  system: 'be kind',
  messages: [{ role: 'user', content: 'hi' }],
  tools: [],
  toolChoice: 'auto',
  stream: true,
};

/** Opens a route with the variables of the test cloud and the given ones. */
export function openIn(
  cloud: TestCloud,
  choice: ModelChoice & { provider: string },
  variables: Record<string, string> = {},
  changes: Partial<Settings> = {},
): Promise<ModelRoute> {
  const settings = settingsWith({ home: cloud.home, variables: { ...cloud.variables, ...variables }, ...changes });
  return openRoute(toEndpoint(settings, choice));
}

export async function ask(route: ModelRoute, request: Partial<ModelRequest> = {}): Promise<string> {
  const options = { signal: new AbortController().signal, onEvent: () => {} };
  return (await route.client.stream({ ...ASKED, ...request }, options)).text;
}

/** The error of an attempt to open a route and to ask it. */
export async function failureOf(open: Promise<ModelRoute>): Promise<Error & { hint?: string }> {
  try {
    await ask(await open);
  } catch (thrown) {
    return thrown as Error;
  }
  throw new Error('the call should have failed');
}
