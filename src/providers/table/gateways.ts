import type { ModelRule, ProviderRow } from '../provider-row.ts';

/** OpenCode serves each model family with the API of its vendor. */
const CLAUDE_AND_GPT: readonly ModelRule[] = [
  { models: ['claude-'], apiMode: 'anthropic_messages' },
  { models: ['gpt-'], apiMode: 'codex_responses' },
];

/** Model gateways: one key for the models of many vendors. OpenRouter comes first because it is the automatic choice. */
export const GATEWAYS: readonly ProviderRow[] = [
  {
    id: 'openrouter',
    name: 'OpenRouter',
    aliases: ['open-router'],
    baseUrl: 'https://openrouter.ai/api/v1',
    apiMode: 'chat_completions',
    authType: 'api_key',
    keyVariables: ['OPENROUTER_API_KEY'],
    defaultModel: 'anthropic/claude-sonnet-5',
    auxiliaryModel: 'anthropic/claude-haiku-4.5',
    modelListing: { wanted: [{ field: 'supported_parameters', value: 'tools' }] },
    quirks: { effort: 'router', speed: 'router', cacheMarkers: 'claude' },
    modelRules: [{ models: ['qwen/'], quirks: { cacheMarkers: 'qwen', shortCacheOnly: true } }],
  },
  {
    id: 'ai-gateway',
    name: 'Vercel AI Gateway',
    aliases: ['aigateway', 'vercel', 'vercel-ai-gateway'],
    baseUrl: 'https://ai-gateway.vercel.sh/v1',
    apiMode: 'chat_completions',
    authType: 'api_key',
    keyVariables: ['AI_GATEWAY_API_KEY'],
    defaultModel: 'anthropic/claude-sonnet-5',
    modelListing: {
      wanted: [
        { field: 'type', value: 'language' },
        { field: 'tags', value: 'tool-use' },
      ],
    },
    quirks: { effort: 'router', speed: 'gateway', cacheMarkers: 'claude' },
  },
  {
    id: 'kilocode',
    name: 'Kilo Code',
    aliases: ['kilo', 'kilo-code', 'kilo-gateway'],
    baseUrl: 'https://api.kilo.ai/api/gateway',
    apiMode: 'chat_completions',
    authType: 'api_key',
    keyVariables: ['KILOCODE_API_KEY'],
    defaultModel: 'anthropic/claude-sonnet-5',
    quirks: { effort: 'router', cacheMarkers: 'claude' },
  },
  {
    id: 'opencode-zen',
    name: 'OpenCode Zen',
    aliases: ['opencode', 'zen'],
    baseUrl: 'https://opencode.ai/zen/v1',
    apiMode: 'chat_completions',
    authType: 'api_key',
    keyVariables: ['OPENCODE_ZEN_API_KEY'],
    defaultModel: 'claude-sonnet-5',
    modelRules: CLAUDE_AND_GPT,
  },
  {
    id: 'opencode-go',
    name: 'OpenCode Go',
    aliases: ['go', 'opencode-go-sub'],
    baseUrl: 'https://opencode.ai/zen/go/v1',
    apiMode: 'chat_completions',
    authType: 'api_key',
    keyVariables: ['OPENCODE_GO_API_KEY'],
    defaultModel: 'glm-5.3',
    // The service rejects requests without this header.
    quirks: { cacheKeyHeader: 'x-opencode-session' },
    modelRules: [
      { models: ['minimax-', 'qwen', 'claude-'], apiMode: 'anthropic_messages' },
      { models: ['gpt-', 'grok-'], apiMode: 'codex_responses' },
    ],
  },
  {
    id: 'commandcode',
    name: 'CommandCode',
    aliases: ['commandcode-chat', 'command-code'],
    baseUrl: 'https://api.commandcode.ai/provider/v1',
    apiMode: 'chat_completions',
    authType: 'api_key',
    keyVariables: ['COMMANDCODE_API_KEY'],
  },
  {
    id: 'commandcode-anthropic',
    name: 'CommandCode (Anthropic)',
    aliases: ['commandcode-claude'],
    baseUrl: 'https://api.commandcode.ai/provider/v1',
    apiMode: 'anthropic_messages',
    authType: 'api_key',
    keyVariables: ['COMMANDCODE_API_KEY'],
  },
  {
    id: 'huggingface',
    name: 'Hugging Face',
    aliases: ['hf', 'hugging-face', 'huggingface-hub'],
    baseUrl: 'https://router.huggingface.co/v1',
    apiMode: 'chat_completions',
    authType: 'api_key',
    keyVariables: ['HF_TOKEN'],
    // This variable is set on many machines for downloads.
    sharedVariables: ['HF_TOKEN'],
  },
  {
    id: 'tencent-tokenhub',
    name: 'Tencent TokenHub',
    aliases: ['tencent', 'tokenhub', 'tencent-cloud', 'tencentmaas'],
    baseUrl: 'https://tokenhub.tencentmaas.com/v1',
    apiMode: 'chat_completions',
    authType: 'api_key',
    keyVariables: ['TOKENHUB_API_KEY'],
    defaultModel: 'hy3-preview',
  },
];
