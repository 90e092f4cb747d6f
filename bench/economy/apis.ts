import type { ApiMode } from '../../src/contracts/index.ts';
import type { ModelQuirks } from '../../src/llm/index.ts';
import type { GatewayRules } from '../../src/testing/index.ts';

export type Api = {
  name: string;
  apiMode: ApiMode;
  model: string;
  otherModel: string;
  quirks?: ModelQuirks;
  /** How the gateway in front of the model translates cache markers. */
  gateway?: GatewayRules;
  /** Only the plain sessions are measured. */
  isVariant?: true;
};

const CLAUDE = { model: 'claude-sonnet-5', otherModel: 'claude-haiku-4-5' } as const;
const CHAT = {
  apiMode: 'chat_completions',
  model: 'anthropic/claude-sonnet-5',
  otherModel: 'anthropic/claude-haiku-4.5',
} as const;

/** A gateway that Hermes does not know: it has no row in the provider table. */
function unknown(behaviour: string, gateway: GatewayRules): Api {
  return { ...CHAT, name: `unknown gateway that ${behaviour}`, gateway, isVariant: true };
}

/**
 * Cache markers on Anthropic's API, cache markers in chat completions at model gateways, and automatic caching. What the
 * unknown gateways do with markers is what versions of common gateways do.
 */
export const APIS: Readonly<Record<string, Api>> = {
  anthropic: { ...CLAUDE, name: 'Anthropic', apiMode: 'anthropic_messages' },
  gateway: { ...CHAT, name: 'model gateway', quirks: { cacheMarkers: 'claude' } },
  passing: unknown('passes all markers on', { text: 'passed on', calls: 'passed on', results: 'passed on' }),
  rejecting: unknown('rejects markers on results', { text: 'passed on', calls: 'passed on', results: 'rejected' }),
  dropping: unknown('drops markers on results', { text: 'passed on', calls: 'passed on', results: 'dropped' }),
  text: unknown('accepts markers on text only', { text: 'passed on', calls: 'dropped', results: 'rejected' }),
  openai: { name: 'OpenAI', apiMode: 'codex_responses', model: 'gpt-5.6-terra', otherModel: 'gpt-5.6-luna' },
};
