import type { ApiMode } from '../../src/contracts/index.ts';
import type { ModelQuirks } from '../../src/llm/index.ts';

export type Api = { name: string; apiMode: ApiMode; model: string; otherModel: string; quirks?: ModelQuirks };

/** Cache markers on Anthropic's API, cache markers in chat completions at a model gateway, and automatic caching. */
export const APIS: Readonly<Record<string, Api>> = {
  anthropic: {
    name: 'Anthropic',
    apiMode: 'anthropic_messages',
    model: 'claude-sonnet-5',
    otherModel: 'claude-haiku-4-5',
  },
  gateway: {
    name: 'model gateway',
    apiMode: 'chat_completions',
    model: 'anthropic/claude-sonnet-5',
    otherModel: 'anthropic/claude-haiku-4.5',
    quirks: { cacheMarkers: 'claude' },
  },
  openai: { name: 'OpenAI', apiMode: 'codex_responses', model: 'gpt-5.6-terra', otherModel: 'gpt-5.6-luna' },
};
