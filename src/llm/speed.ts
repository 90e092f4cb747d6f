import type { ModelRequest } from '../contracts/index.ts';
import type { BodyFields } from './json-text.ts';

/** The parameter style for speed; `unknown` if the endpoint has no such parameter. */
export type SpeedStyle = 'openai' | 'router' | 'gateway' | 'anthropic' | 'unknown';

/** The beta feature that fast mode requires. */
const FAST_MODE = 'fast-mode-2026-02-01';
/** Only the largest models of the newer families support it. */
const FAST_CLAUDE = /claude-opus-(?:4[-.][6-9](?!\d)|[5-9])/;

const FIELDS: Readonly<Record<SpeedStyle, BodyFields>> = {
  openai: { service_tier: 'priority' },
  router: { service_tier: 'fast' },
  gateway: { providerOptions: { gateway: { speed: 'fast' } } },
  anthropic: { speed: 'fast' },
  unknown: {},
};

/** The parameters of a request with fast speed. */
export function speedFields(request: ModelRequest, model: string, style: SpeedStyle): BodyFields {
  return isFast(request, model, style) ? FIELDS[style] : {};
}

export function speedHeaders(request: ModelRequest, model: string, style: SpeedStyle): Record<string, string> {
  return style === 'anthropic' && isFast(request, model, style) ? { 'anthropic-beta': FAST_MODE } : {};
}

function isFast({ speed, parameterChanges }: ModelRequest, model: string, style: SpeedStyle): boolean {
  if (speed !== 'fast' || parameterChanges?.some(({ name }) => name === 'speed')) return false;
  return style !== 'anthropic' || FAST_CLAUDE.test(model.toLowerCase());
}
