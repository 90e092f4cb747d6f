import type { ProviderRow } from '../provider-row.ts';

/** Servers of the person's own: on this machine at their usual ports, or wherever the person says. */
export const OWN_SERVERS: readonly ProviderRow[] = [
  {
    id: 'ollama',
    name: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    apiMode: 'ollama_chat',
    authType: 'none',
    keyVariables: [],
    local: true,
  },
  {
    id: 'lmstudio',
    name: 'LM Studio',
    aliases: ['lm-studio', 'lm_studio'],
    baseUrl: 'http://127.0.0.1:1234/v1',
    apiMode: 'chat_completions',
    authType: 'none',
    keyVariables: ['LM_API_KEY'],
    // A key may be set and the server not be running.
    sharedVariables: ['LM_API_KEY'],
    local: true,
    quirks: { carries: ['image'] },
  },
  {
    id: 'llamacpp',
    name: 'llama.cpp',
    aliases: ['llama.cpp', 'llama-cpp', 'llama-server'],
    baseUrl: 'http://127.0.0.1:8080/v1',
    apiMode: 'chat_completions',
    authType: 'none',
    keyVariables: [],
    local: true,
    quirks: { carries: ['image'] },
  },
  {
    id: 'vllm',
    name: 'vLLM',
    baseUrl: 'http://127.0.0.1:8000/v1',
    apiMode: 'chat_completions',
    authType: 'none',
    keyVariables: [],
    local: true,
    quirks: { carries: ['image'] },
  },
  // The one provider whose host is the person's choice; OpenAI's key was made the general one for such endpoints.
  { id: 'custom', name: 'Custom endpoint', authType: 'api_key', keyVariables: ['OPENAI_API_KEY'] },
];
