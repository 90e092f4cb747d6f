import type { FinishReason, JsonObject, JsonValue, ModelError } from '../../base/index.ts';
import { asArray, asObject, asObjects, asString, asText } from '../json-access.ts';
import { withheldResponse } from '../wire-format.ts';
import { failure } from './acp-failure.ts';
import type { AcpProtocol } from './acp-protocol.ts';
import type { Agent } from './agent.ts';

/** A session inside the agent, which remembers its own conversation. */
export type AgentSession = {
  readonly id: string;
  readonly models: readonly string[];
  /** Sends a prompt and waits for the end of the response. An error thrown by `onUpdate` rejects it. */
  prompt(text: string, onUpdate: (update: JsonObject) => void): Promise<FinishReason>;
  cancel(): Promise<void>;
  /** Resolves when no prompt is running. */
  stopped(): Promise<void>;
  /** Tells the agent that the session is no longer used, if the agent supports that. */
  end(): void;
};

export type SessionChoice = { model: string | undefined; effort: string | undefined };

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  max_tokens: 'length',
  // The agent's own loop reached its limit, so the response is incomplete.
  max_turn_requests: 'length',
};

/** Kinds of the agent's own tools that change something. */
const MODIFYING_TOOL_KINDS: readonly (string | undefined)[] = ['edit', 'delete', 'move', 'execute'];

export async function openSession(agent: Agent, choice: SessionChoice): Promise<AgentSession> {
  const { protocol, folder, capabilities } = await agent.ready();
  const offer = parseSessionOptions(asObject(await protocol.newSession(folder)) ?? {});
  if (offer === undefined) throw failure('invalid_response', 'The command created a session without an id.');
  await choose(protocol, offer, choice);
  const { sessionId: id, models } = offer;
  let answering: Promise<unknown> = Promise.resolve();
  return {
    id,
    models,
    async prompt(text, onUpdate) {
      const broken = Promise.withResolvers<never>();
      broken.promise.catch(() => undefined);
      const stopListening = listenTo(agent, id, onUpdate, broken.reject);
      try {
        answering = protocol.prompt(id, text);
        return finishReasonOf(asObject(await Promise.race([answering, broken.promise])));
      } finally {
        stopListening();
      }
    },
    cancel: () => protocol.cancel(id),
    stopped: () =>
      answering.then(
        () => undefined,
        () => undefined,
      ),
    end() {
      const offered = asObject(capabilities.sessionCapabilities);
      const how = (['delete', 'close'] as const).find((way) => asObject(offered?.[way]) !== undefined);
      // A failure to end the session is ignored.
      if (how !== undefined) protocol.endSession(id, how).catch(() => undefined);
    },
  };
}

async function choose(protocol: AcpProtocol, offer: SessionOptions, { model, effort }: SessionChoice): Promise<void> {
  const { sessionId, models } = offer;
  if (model !== undefined && model !== offer.model?.current) {
    if (offer.model === undefined || !models.includes(model)) throw modelNotOffered(model, offer);
    if (offer.model.how === 'option') await protocol.setOption(sessionId, offer.model.optionId, model);
    else await protocol.setModel(sessionId, model);
  }
  if (effort !== undefined && offer.effort?.values.includes(effort) && effort !== offer.effort.current) {
    await protocol.setOption(sessionId, offer.effort.optionId, effort);
  }
}

/** Forwards updates, and rejects if the agent ran one of its own tools without asking. */
function listenTo(
  agent: Agent,
  id: string,
  onUpdate: (update: JsonObject) => void,
  reject: (reason: unknown) => void,
): () => void {
  const denied = new Set<string>();
  const kinds = new Map<string, string | undefined>();
  return agent.listen(id, {
    onDenied: (toolCallId) => void denied.add(toolCallId),
    onUpdate(update) {
      const toolCallId = asString(update.toolCallId);
      if (toolCallId !== undefined) {
        kinds.set(toolCallId, asString(update.kind) ?? kinds.get(toolCallId));
        const ran = update.status === 'completed' && !denied.has(toolCallId);
        if (ran && MODIFYING_TOOL_KINDS.includes(kinds.get(toolCallId)))
          reject(unapprovedToolFailure(asString(update.title)));
      }
      try {
        onUpdate(update);
      } catch (error) {
        reject(error);
      }
    },
  });
}

/** The failure for a tool that the agent ran without asking. The action cannot be undone, but it must be reported. */
function unapprovedToolFailure(title: string | undefined): ModelError {
  const what = title === undefined ? 'one of its own tools' : `one of its own tools (${title.slice(0, 200)})`;
  return failure(
    'format_error',
    `The command ran ${what} without asking for permission, bypassing all approvals. Its response was discarded.`,
    "Remove the permissions from the command's own settings, or choose another provider.",
  );
}

function finishReasonOf(answer: JsonObject | undefined): FinishReason {
  const reason = asString(answer?.stopReason);
  const known = FINISH_REASONS[reason ?? ''];
  if (known !== undefined) return known;
  if (reason === 'refusal') throw failure('content_policy', withheldResponse(undefined, 'refusal').message);
  const words =
    reason === undefined ? 'without a stop reason' : `with the unknown stop reason "${reason.slice(0, 100)}"`;
  throw failure('invalid_response', `The command ended its response ${words}.`);
}

/** The choices that a new session offers. */
type SessionOptions = {
  sessionId: string;
  models: readonly string[];
  /** How to select a model; undefined if the agent has no choice of models. */
  model: { current: string | undefined; how: 'option' | 'method'; optionId: string } | undefined;
  effort: { current: string | undefined; optionId: string; values: readonly string[] } | undefined;
};

/** Parses the result of `session/new`; undefined if it is invalid. */
function parseSessionOptions(answer: JsonObject): SessionOptions | undefined {
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
  // Agents without config options list their models in a separate field.
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

/** The values are a list, or groups of lists. */
function valuesIn(list: JsonValue | undefined): string[] {
  return asArray(list).flatMap((entry) => {
    const { value, options } = asObject(entry) ?? {};
    return options === undefined ? (asText(value) ?? []) : valuesIn(options);
  });
}

/** The failure for a model that the agent does not offer; another model must never answer instead. */
function modelNotOffered(model: string, { models }: SessionOptions): ModelError {
  const offered =
    models.length === 0 ? 'it does not support selecting a model' : `available models: ${models.join(', ')}`;
  return failure('model_not_found', `The command has no model "${model}"; ${offered}.`);
}
