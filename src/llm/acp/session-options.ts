import type { JsonObject, JsonValue, ModelError } from '../../base/index.ts';
import { asArray, asObject, asObjects, asString, asText } from '../json-access.ts';
import { failure } from './acp-failure.ts';

/** What a new session lets its client choose. */
export type SessionOffer = {
  sessionId: string;
  models: readonly string[];
  /** How to ask for a model; undefined where the agent lets nobody choose. */
  model: { current: string | undefined; how: 'option' | 'method'; optionId: string } | undefined;
  effort: { current: string | undefined; optionId: string; values: readonly string[] } | undefined;
};

/** Reads the answer to a new session; undefined where it is none. */
export function readOffer(answer: JsonObject): SessionOffer | undefined {
  const sessionId = asText(answer.sessionId);
  if (sessionId === undefined) return undefined;
  const options = asObjects(answer.configOptions);
  const ofKind = (kind: string) => options.find((option) => option.category === kind || option.id === kind);
  const [model, effort] = [ofKind('model'), ofKind('thought_level')];
  if (model !== undefined) {
    const { current, optionId, values } = selectOf(model);
    return {
      sessionId,
      models: values,
      model: { current, optionId, how: 'option' },
      effort: effort && selectOf(effort),
    };
  }
  // Agents made before sessions had options list their models in a field of its own.
  const older = asObject(answer.models);
  const models = asObjects(older?.availableModels).flatMap((entry) => asText(entry.modelId) ?? []);
  const current = asText(older?.currentModelId);
  const choice = older === undefined ? undefined : { current, optionId: 'model', how: 'method' as const };
  return { sessionId, models, model: choice, effort: effort && selectOf(effort) };
}

function selectOf(option: JsonObject) {
  const values = valuesIn(option.options);
  return { current: asString(option.currentValue), optionId: asString(option.id) ?? '', values };
}

/** Values stand in a list, or in groups of such lists. */
function valuesIn(list: JsonValue | undefined): string[] {
  return asArray(list).flatMap((entry) => {
    const { value, options } = asObject(entry) ?? {};
    return options === undefined ? (asText(value) ?? []) : valuesIn(options);
  });
}

/** Another model than the one asked for must never answer in its name. */
export function modelNotOffered(model: string, { models }: SessionOffer): ModelError {
  const offered = models.length === 0 ? 'it lets nobody choose' : `it offers ${models.join(', ')}`;
  return failure('model_not_found', `The command has no model "${model}"; ${offered}.`);
}
