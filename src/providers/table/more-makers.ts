import type { ProviderRow } from '../provider-row.ts';

/** Makers and hosts that speak plain Chat Completions: an address and a key is all there is to know of them. */
export const MORE_MAKERS: readonly ProviderRow[] = [
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
      // Anyone's model could be meant by that name.
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
