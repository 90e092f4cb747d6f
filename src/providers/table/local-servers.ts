import type { ProviderRow } from '../provider-row.ts';

/** The user's own servers: on this machine at their default ports, or at a configured address. */
export const LOCAL_SERVERS: readonly ProviderRow[] = [
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
    // The key may be set although the server is not running, so it does not select this provider.
    sharedVariables: ['LM_API_KEY'],
    local: true,
    quirks: { attachmentKinds: ['image'] },
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
    quirks: { attachmentKinds: ['image'] },
  },
  {
    id: 'vllm',
    name: 'vLLM',
    baseUrl: 'http://127.0.0.1:8000/v1',
    apiMode: 'chat_completions',
    authType: 'none',
    keyVariables: [],
    local: true,
    quirks: { attachmentKinds: ['image'] },
  },
  // The only provider whose host the user chooses; OpenAI's key is the general key for such endpoints.
  { id: 'custom', name: 'Custom endpoint', authType: 'api_key', keyVariables: ['OPENAI_API_KEY'] },
];
