import type { ModelErrorKind, ModelFailure } from '../../base/index.ts';
import { nearestNames } from '../../util/index.ts';
import type { Turn } from '../turn.ts';
import { keepText, type Recovery } from './recovery.ts';

const MODELS_NAMED = 3;

const WAYS_OUT: Record<ModelErrorKind, string> = {
  auth: 'Check the key of this provider; `hermes setup` sets a new one.',
  auth_permanent: 'The provider refuses this key for good; `hermes setup` sets another one.',
  billing: "Check the account's balance at the provider, or choose another one with --provider.",
  model_not_found: 'Choose another model with --model.',
  context_overflow: 'Choose a model with a larger window with /model or --model, or start a new session with /new.',
  payload_too_large: 'Send less at once, or start a new session with /new.',
  long_context_tier: 'Choose a model with a larger window with /model or --model, or start a new session with /new.',
  rate_limit: 'Wait a little, or add a fallback provider to config.yaml.',
  overloaded: 'Try again later, or add a fallback provider to config.yaml.',
  connection: 'Check the network and `model.base_url`.',
  stream_stall: 'Try again; `agent.stream_stale_timeout` sets how long silence is taken.',
  timeout: 'Try again later, or add a fallback provider to config.yaml.',
  server_error: 'Try again later, or add a fallback provider to config.yaml.',
  thinking_signature: 'Start a new session with this model.',
  invalid_encrypted_content: 'Start a new session with this model.',
  unsupported_parameter: 'Choose another model with --model.',
  attachment_refused: 'Attach the file in another size or format; `hermes --help` names the formats.',
  attachment_unsupported: 'Choose a model that reads such files with --model, or leave the file out.',
  encoding: 'Start a new session, or take odd characters out of the message.',
  stream_refused: 'Choose another model with --model.',
  content_policy: 'Say it differently, or choose another model with --model.',
  format_error: 'Check `model.api_mode` and `model.base_url`; the log has what was refused.',
  invalid_response: 'Check `model.base_url`: what answers there does not speak this API mode.',
  unknown: 'Check `model.base_url`, or try again; the log has the details.',
};

/** Nothing else can help: the turn fails with the provider's own words and the way out. */
export const fail: Recovery = {
  name: 'fail',
  applies: (trouble) => trouble.type === 'failure',
  async apply(trouble, turn) {
    if (trouble.type !== 'failure') return 'pass';
    const { kind, message, retryAfterMs } = trouble.failure;
    const { provider, model } = turn.routes.current();
    const near = kind === 'model_not_found' ? await nearModels(turn) : undefined;
    const hint = trouble.hint ?? near ?? offCompression(trouble.failure, turn) + WAYS_OUT[kind];
    await keepText(turn);
    const away = retryAfterMs === undefined ? '' : ` It asks to wait ${Math.ceil(retryAfterMs / 1000)} s.`;
    turn.state.error = { kind, message: `${provider}/${model}: ${message}${away}`, hint };
    return { type: 'exit', reason: 'failed' };
  },
};

/** The first way out of a conversation that is too large, where nobody lets it get smaller by itself. */
function offCompression({ compress }: ModelFailure, { options }: Turn): string {
  if (!compress || options.compressesByItself !== false) return '';
  return 'Nothing is compressed by itself, because compression.enabled is false: type /compress. ';
}

/** A mistyped model is mostly one letter away from a real one. */
async function nearModels(turn: Turn): Promise<string | undefined> {
  const { model, listModels } = turn.routes.current();
  const listed = await listModels?.();
  if (listed?.length === 0) return 'It lists no model at all: load or enable one there, then try again.';
  const names = nearestNames(model, listed ?? [], MODELS_NAMED);
  return names.length === 0 ? undefined : `Near it there are ${names.join(', ')}; choose one with --model.`;
}
