import type { ProviderRow } from '../provider-row.ts';

/** Vendors that serve their own models. */
export const VENDORS: readonly ProviderRow[] = [
  {
    id: 'anthropic',
    name: 'Anthropic',
    aliases: ['claude', 'claude-code'],
    baseUrl: 'https://api.anthropic.com',
    apiMode: 'anthropic_messages',
    authType: 'api_key',
    keyVariables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    // Users set this variable for Claude Code, so it does not select this provider by itself.
    sharedVariables: ['CLAUDE_CODE_OAUTH_TOKEN'],
    defaultModel: 'claude-sonnet-5',
    auxiliaryModel: 'claude-haiku-4-5',
    quirks: { cacheMarkers: 'claude', toolResultImages: true },
  },
  {
    id: 'openai',
    name: 'OpenAI',
    aliases: ['openai-api'],
    baseUrl: 'https://api.openai.com/v1',
    apiMode: 'codex_responses',
    authType: 'api_key',
    keyVariables: ['OPENAI_API_KEY'],
    defaultModel: 'gpt-5.6-terra',
    auxiliaryModel: 'gpt-5.6-luna',
    quirks: { toolResultImages: true },
    // In chat completions, these models expect the system prompt with a different role.
    modelRules: [{ models: ['gpt-5', 'gpt-6', 'codex', 'o1', 'o3', 'o4'], quirks: { systemRole: 'developer' } }],
  },
  {
    id: 'gemini',
    name: 'Google Gemini',
    aliases: ['google', 'google-gemini', 'google-ai-studio'],
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    apiMode: 'chat_completions',
    authType: 'api_key',
    keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    defaultModel: 'gemini-3.6-flash',
    auxiliaryModel: 'gemini-3.5-flash-lite',
    // Its OpenAI-compatible API rejects `file`, but accepts a PDF file as an image part.
    quirks: { effort: 'gemini', documentPart: 'image_url' },
  },
  {
    id: 'deepseek',
    name: 'DeepSeek',
    aliases: ['deep-seek'],
    baseUrl: 'https://api.deepseek.com/v1',
    apiMode: 'chat_completions',
    authType: 'api_key',
    keyVariables: ['DEEPSEEK_API_KEY'],
    defaultModel: 'deepseek-v4-flash',
    auxiliaryModel: 'deepseek-v4-flash',
    quirks: {
      reasoningField: 'reasoning_content',
      reasoningRequired: true,
      effort: 'deepseek',
      attachmentKinds: ['image'],
    },
  },
  {
    id: 'xai',
    name: 'xAI',
    aliases: ['grok', 'x-ai', 'x.ai'],
    baseUrl: 'https://api.x.ai/v1',
    apiMode: 'chat_completions',
    authType: 'api_key',
    keyVariables: ['XAI_API_KEY'],
    defaultModel: 'grok-4.6',
    quirks: { effort: 'xai', cacheKeyHeader: 'x-grok-conv-id' },
  },
  {
    id: 'alibaba',
    name: 'Alibaba DashScope',
    aliases: ['dashscope', 'qwen', 'qwen-cloud', 'aliyun', 'alibaba-cloud'],
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    apiMode: 'chat_completions',
    authType: 'api_key',
    keyVariables: ['DASHSCOPE_API_KEY'],
    defaultModel: 'qwen3.7-plus',
    quirks: {
      reasoningField: 'reasoning_content',
      effort: 'enable_thinking',
      cacheMarkers: 'qwen',
      shortCacheOnly: true,
      attachmentKinds: ['image'],
    },
  },
  {
    id: 'alibaba-coding-plan',
    name: 'Alibaba Cloud Coding Plan',
    aliases: ['alibaba-coding', 'alibaba_coding', 'alibaba_coding_plan'],
    baseUrl: 'https://coding-intl.dashscope.aliyuncs.com/v1',
    apiMode: 'chat_completions',
    authType: 'api_key',
    keyVariables: ['ALIBABA_CODING_PLAN_API_KEY', 'DASHSCOPE_API_KEY'],
    defaultModel: 'qwen3-coder-plus',
    quirks: {
      reasoningField: 'reasoning_content',
      effort: 'enable_thinking',
      cacheMarkers: 'qwen',
      shortCacheOnly: true,
      attachmentKinds: ['image'],
    },
  },
  {
    id: 'zai',
    name: 'Z.AI',
    aliases: ['z-ai', 'z.ai', 'glm', 'zhipu', 'zhipuai'],
    baseUrl: 'https://api.z.ai/api/paas/v4',
    apiMode: 'chat_completions',
    authType: 'api_key',
    keyVariables: ['GLM_API_KEY', 'ZAI_API_KEY', 'Z_AI_API_KEY'],
    defaultModel: 'glm-5.3',
    quirks: { reasoningField: 'reasoning_content', effort: 'thinking_switch' },
  },
  {
    id: 'kimi-coding',
    name: 'Kimi / Moonshot',
    aliases: ['kimi', 'moonshot', 'moonshotai'],
    baseUrl: 'https://api.moonshot.ai/v1',
    apiMode: 'chat_completions',
    authType: 'api_key',
    keyVariables: ['KIMI_API_KEY', 'KIMI_CODING_API_KEY'],
    defaultModel: 'kimi-k3',
    quirks: {
      reasoningField: 'reasoning_content',
      reasoningRequired: true,
      effort: 'thinking_switch',
      cacheKeyParameter: 'prompt_cache_key',
    },
  },
  {
    id: 'kimi-coding-cn',
    name: 'Kimi / Moonshot (China)',
    aliases: ['kimi-cn', 'moonshot-cn', 'moonshotai-cn'],
    baseUrl: 'https://api.moonshot.cn/v1',
    apiMode: 'chat_completions',
    authType: 'api_key',
    keyVariables: ['KIMI_CN_API_KEY'],
    defaultModel: 'kimi-k3',
    quirks: {
      reasoningField: 'reasoning_content',
      reasoningRequired: true,
      effort: 'thinking_switch',
      cacheKeyParameter: 'prompt_cache_key',
    },
  },
  {
    id: 'kimi-code',
    name: 'Kimi Code',
    aliases: ['kimi-for-coding', 'kimi-coding-plan'],
    baseUrl: 'https://api.kimi.com/coding',
    apiMode: 'anthropic_messages',
    authType: 'api_key',
    keyVariables: ['KIMI_CODING_API_KEY'],
    defaultModel: 'kimi-for-coding',
  },
  {
    id: 'minimax',
    name: 'MiniMax',
    baseUrl: 'https://api.minimax.io/anthropic',
    apiMode: 'anthropic_messages',
    authType: 'api_key',
    keyVariables: ['MINIMAX_API_KEY'],
    defaultModel: 'MiniMax-M3',
    // MiniMax uses Anthropic's API but expects the key as a bearer token.
    quirks: { authHeader: 'bearer' },
  },
  {
    id: 'minimax-cn',
    name: 'MiniMax (China)',
    aliases: ['minimax-china', 'minimax_cn'],
    baseUrl: 'https://api.minimaxi.com/anthropic',
    apiMode: 'anthropic_messages',
    authType: 'api_key',
    keyVariables: ['MINIMAX_CN_API_KEY'],
    defaultModel: 'MiniMax-M3',
    quirks: { authHeader: 'bearer' },
  },
];

/** Vendors and hosts with standard chat completions: they need only a base URL and a key. */
export const MORE_VENDORS: readonly ProviderRow[] = [
  plain('stepfun', 'StepFun Step Plan', 'https://api.stepfun.ai/step_plan/v1', ['STEPFUN_API_KEY'], {
    aliases: ['step', 'stepfun-coding-plan'],
  }),
  plain('arcee', 'Arcee AI', 'https://api.arcee.ai/api/v1', ['ARCEEAI_API_KEY'], {
    aliases: ['arcee-ai', 'arceeai'],
    defaultModel: 'trinity-large-thinking',
  }),
  plain('gmi', 'GMI Cloud', 'https://api.gmi-serving.com/v1', ['GMI_API_KEY'], { aliases: ['gmi-cloud', 'gmicloud'] }),
  plain('actual', 'Actual Computer', 'https://api.actual.inc/v1', ['ACTUAL_API_KEY']),
  plain('nvidia', 'NVIDIA NIM', 'https://integrate.api.nvidia.com/v1', ['NVIDIA_API_KEY'], {
    aliases: ['nim', 'nvidia-nim', 'build-nvidia', 'nemotron'],
  }),
  plain('xiaomi', 'Xiaomi MiMo', 'https://api.xiaomimimo.com/v1', ['XIAOMI_API_KEY'], {
    aliases: ['mimo', 'xiaomi-mimo'],
    defaultModel: 'mimo-v2.5-pro',
    quirks: { reasoningField: 'reasoning_content' },
  }),
  plain('ollama-cloud', 'Ollama Cloud', 'https://ollama.com/v1', ['OLLAMA_API_KEY'], { aliases: ['ollama_cloud'] }),
  plain('deepinfra', 'DeepInfra', 'https://api.deepinfra.com/v1/openai', ['DEEPINFRA_API_KEY'], {
    aliases: ['deep-infra', 'deepinfra-ai'],
  }),
  plain('fireworks', 'Fireworks AI', 'https://api.fireworks.ai/inference/v1', ['FIREWORKS_API_KEY'], {
    aliases: ['fireworks-ai', 'fw'],
  }),
  plain(
    'meta-ai',
    'Meta Model API',
    'https://api.meta.ai/v1',
    ['META_API_KEY', 'META_MODEL_API_KEY', 'MODEL_API_KEY'],
    {
      aliases: ['meta', 'muse', 'muse-spark', 'model-api', 'msl'],
      // The name of this variable is too general to select a provider.
      sharedVariables: ['MODEL_API_KEY'],
    },
  ),
  plain('novita', 'NovitaAI', 'https://api.novita.ai/openai/v1', ['NOVITA_API_KEY'], {
    aliases: ['novita-ai', 'novitaai'],
  }),
  plain('upstage', 'Upstage Solar', 'https://api.upstage.ai/v1', ['UPSTAGE_API_KEY'], {
    aliases: ['solar'],
    defaultModel: 'solar-pro3',
  }),
];

type Rest = Partial<Omit<ProviderRow, 'id' | 'name' | 'baseUrl' | 'keyVariables'>>;

function plain(
  id: string,
  name: string,
  baseUrl: string,
  keyVariables: readonly string[],
  rest: Rest = {},
): ProviderRow {
  return { id, name, baseUrl, apiMode: 'chat_completions', authType: 'api_key', keyVariables, ...rest };
}
