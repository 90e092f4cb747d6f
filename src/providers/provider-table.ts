import type { ApiMode } from '../contracts/index.ts';
import type { ModelQuirks } from '../llm/index.ts';

/** Everything that makes one provider different from another. Adding a provider is adding a row. */
export type ProviderRow = {
  id: string;
  /** As people know it. */
  name: string;
  /** Other words people use for it. */
  aliases?: readonly string[];
  /** Absent where only the person can know it. */
  baseUrl?: string;
  /** Absent where the address decides. */
  apiMode?: ApiMode;
  /** Where its key is looked for, first one first. Such a key only ever goes to the host of `baseUrl`. */
  keyVariables: readonly string[];
  /** Used where a person chose the provider and nothing else. */
  defaultModel?: string;
  /** A cheap model that is good enough for the tasks beside the chat; absent where none is known for sure. */
  auxiliaryModel?: string;
  /** How its endpoint differs from the plain form of its API mode. */
  quirks?: ModelQuirks;
  /** A server on the person's own machine: no key, looked for during set-up. */
  local?: true;
};

/** In the order in which keys in the environment are looked at when nothing was chosen. */
export const PROVIDERS: readonly ProviderRow[] = [
  {
    id: 'openrouter',
    name: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    apiMode: 'chat_completions',
    keyVariables: ['OPENROUTER_API_KEY'],
    defaultModel: 'anthropic/claude-sonnet-5',
    auxiliaryModel: 'anthropic/claude-haiku-4.5',
  },
  {
    id: 'anthropic',
    name: 'Anthropic',
    aliases: ['claude'],
    baseUrl: 'https://api.anthropic.com',
    apiMode: 'anthropic_messages',
    keyVariables: ['ANTHROPIC_API_KEY'],
    defaultModel: 'claude-sonnet-5',
    auxiliaryModel: 'claude-haiku-4-5',
  },
  {
    id: 'openai',
    name: 'OpenAI',
    aliases: ['openai-api'],
    baseUrl: 'https://api.openai.com/v1',
    apiMode: 'codex_responses',
    keyVariables: ['OPENAI_API_KEY'],
    defaultModel: 'gpt-5.6-terra',
    auxiliaryModel: 'gpt-5.6-luna',
  },
  {
    id: 'gemini',
    name: 'Google Gemini',
    aliases: ['google'],
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    apiMode: 'chat_completions',
    keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    defaultModel: 'gemini-3.6-flash',
    auxiliaryModel: 'gemini-3.5-flash-lite',
  },
  {
    id: 'deepseek',
    name: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    apiMode: 'chat_completions',
    keyVariables: ['DEEPSEEK_API_KEY'],
    defaultModel: 'deepseek-v4-flash',
    auxiliaryModel: 'deepseek-v4-flash',
    quirks: { reasoningField: 'reasoning_content' },
  },
  {
    id: 'xai',
    name: 'xAI',
    aliases: ['grok', 'x-ai'],
    baseUrl: 'https://api.x.ai/v1',
    apiMode: 'chat_completions',
    keyVariables: ['XAI_API_KEY'],
    defaultModel: 'grok-4.6',
  },
  {
    id: 'ollama',
    name: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    apiMode: 'chat_completions',
    keyVariables: [],
    local: true,
  },
  {
    id: 'lmstudio',
    name: 'LM Studio',
    aliases: ['lm-studio'],
    baseUrl: 'http://127.0.0.1:1234/v1',
    apiMode: 'chat_completions',
    keyVariables: ['LM_API_KEY'],
    local: true,
  },
  {
    id: 'llamacpp',
    name: 'llama.cpp',
    aliases: ['llama.cpp', 'llama-cpp'],
    baseUrl: 'http://127.0.0.1:8080/v1',
    apiMode: 'chat_completions',
    keyVariables: [],
    local: true,
  },
  // The one provider whose host is the person's choice; OpenAI's key was made the general one for such endpoints.
  { id: 'custom', name: 'Custom endpoint', keyVariables: ['OPENAI_API_KEY'] },
];
