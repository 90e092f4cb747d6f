import type { RouteSource } from '../../../contracts/index.ts';
import { createScriptedModel } from '../../../testing/index.ts';
import { demoReply } from './demo-script.ts';

const MODEL = 'scripted-demo';
const CONTEXT_LENGTH = 100_000;

/** The built-in demo as a route like any other. `slowly` streams at reading speed, for someone who watches. */
export function createDemoRoute(options: { slowly: boolean }): RouteSource {
  return {
    provider: 'demo',
    model: MODEL,
    async open() {
      const pace = options.slowly ? { chunkSize: 6, delayMs: 15 } : {};
      const client = createScriptedModel((request) => ({ ...demoReply(request), ...pace }), { producer: 'demo' });
      const place = { baseUrl: 'demo://local', apiMode: 'chat_completions' as const };
      return { provider: 'demo', model: MODEL, ...place, contextLength: CONTEXT_LENGTH, client };
    },
  };
}
