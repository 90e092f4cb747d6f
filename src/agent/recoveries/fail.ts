import type { ModelErrorKind, ModelFailure } from '../../base/index.ts';
import { nearestNames } from '../../util/index.ts';
import { fixedTokens } from '../token-figure.ts';
import type { Turn } from '../turn.ts';
import { windowOf } from '../window.ts';
import { storePartialText, type Recovery } from './recovery.ts';

const MODELS_NAMED = 3;

const HINTS: Record<ModelErrorKind, string> = {
  auth: 'Check the API key of this provider, or set a new one with `hermes setup`.',
  auth_permanent: 'The provider rejected this key permanently. Set another one with `hermes setup`.',
  billing: 'Check the balance of your account at the provider, or choose another provider with --provider.',
  model_not_found: 'Choose another model with --model.',
  context_overflow:
    'Choose a model with a larger context window (/model or --model), or start a new session with /new.',
  payload_too_large: 'Send a smaller message, or start a new session with /new.',
  long_context_tier:
    'Choose a model with a larger context window (/model or --model), or start a new session with /new.',
  rate_limit: 'Wait and try again, or add a fallback provider to config.yaml.',
  overloaded: 'Try again later, or add a fallback provider to config.yaml.',
  connection: 'Check the network connection and `model.base_url`.',
  stream_stall: 'Try again, or raise `agent.stream_stale_timeout`.',
  timeout: 'Try again later, or add a fallback provider to config.yaml.',
  server_error: 'Try again later, or add a fallback provider to config.yaml.',
  thinking_signature: 'Start a new session with this model.',
  invalid_encrypted_content: 'Start a new session with this model.',
  unsupported_parameter: 'Choose another model with --model.',
  attachment_refused: 'Attach the file in another size or format; `hermes --help` lists the formats.',
  attachment_unsupported: 'Choose a model that can read such files with --model, or remove the file.',
  encoding: 'Start a new session, or remove unusual characters from the message.',
  stream_refused: 'Choose another model with --model.',
  content_policy: 'Rephrase the message, or choose another model with --model.',
  format_error: 'Check `model.api_mode` and `model.base_url`; the log has the details.',
  invalid_response: 'Check `model.base_url`: the server there does not speak this API mode.',
  unknown: 'Check `model.base_url` and try again; the log has the details.',
};

/** No other recovery helped: the turn fails with the provider's error message and a hint. */
export const fail: Recovery = {
  name: 'fail',
  applies: (problem) => problem.type === 'failure',
  async apply(problem, turn) {
    if (problem.type !== 'failure') return 'pass';
    const { kind, message, retryAfterMs } = problem.failure;
    const { provider, model } = turn.routes.current();
    const near = kind === 'model_not_found' ? await suggestModels(turn) : undefined;
    const hint =
      problem.hint ??
      near ??
      smallWindowHint(problem.failure, turn) ??
      compressionDisabledHint(problem.failure, turn) + HINTS[kind];
    await storePartialText(turn);
    const away = retryAfterMs === undefined ? '' : ` Retry after ${Math.ceil(retryAfterMs / 1000)} s.`;
    turn.state.error = { kind, message: `${provider}/${model}: ${message}${away}`, hint };
    return { type: 'exit', reason: 'failed' };
  },
};

/** If automatic compression is disabled, the first hint for a session that is too large is to compress it. */
function compressionDisabledHint({ compress }: ModelFailure, { options }: Turn): string {
  if (!compress || options.autoCompress !== false) return '';
  return 'Automatic compression is disabled (compression.enabled: false): type /compress. ';
}

/** The share of the window from which on the fixed part of a request leaves no room for a conversation. */
const FIXED_SHARE = 0.75;

/** If the prompt and the tools fill the window, neither compression nor a new session helps. */
function smallWindowHint({ compress }: ModelFailure, turn: Turn): string | undefined {
  const window = windowOf(turn);
  if (!compress || window === undefined) return undefined;
  const fixed = fixedTokens(turn);
  if (fixed < window * FIXED_SHARE) return undefined;
  return `The system prompt and the tools alone have about ${fixed} tokens, and the context window has ${window}. Choose a model with a larger one (/model or --model), or offer fewer tools (--toolsets).`;
}

/** Suggests similar model names, because an unknown model is usually a typing error. */
async function suggestModels(turn: Turn): Promise<string | undefined> {
  const { model, listModels } = turn.routes.current();
  const listed = await listModels?.();
  if (listed?.length === 0) return 'The endpoint lists no models: load or enable one there, then try again.';
  const names = nearestNames(model, listed ?? [], MODELS_NAMED);
  return names.length === 0 ? undefined : `Similar models: ${names.join(', ')}. Choose one with --model.`;
}
