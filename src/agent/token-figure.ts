import { type AssistantMessage, type Message, totalTokens, type Usage } from '../base/index.ts';
import type { CallRecord } from '../contracts/index.ts';
import type { Scene } from './turn.ts';

/** What a call really took, together with its answer, and how many messages that covers. */
export type Measured = {
  /** Others cut text into other tokens. */
  route: string;
  tokens: number;
  messages: number;
};

/**
 * What the next request takes: the last real count and a guess at what came since, or a guess at all of it where this
 * model has not counted anything yet. Only what was added is looked at.
 */
export function tokenFigure(scene: Scene): number {
  const { session, options } = scene;
  const { measured, history } = session;
  const route = routeName(scene);
  if (measured?.route !== route) return guessRequest(scene);
  return measured.tokens + options.meter.ofMessages(route, history.slice(measured.messages));
}

/** What every request carries besides the history. */
export function fixedTokens(scene: Scene): number {
  const { options, session, state } = scene;
  const { meter, ephemeralSystemPrompt: ephemeral = '', prefillMessages = [] } = options;
  const route = routeName(scene);
  const fixed = meter.ofFixed(route, session.systemPrompt + ephemeral, state.definitions);
  return fixed + meter.ofMessages(route, prefillMessages);
}

/** A request as it is sent now, by guess alone. */
function guessRequest(scene: Scene, tail: readonly Message[] = []): number {
  const { meter } = scene.options;
  const route = routeName(scene);
  return fixedTokens(scene) + meter.ofMessages(route, scene.session.history) + meter.ofMessages(route, tail);
}

/** Lets the meter compare its guess at a request with what the provider counted; some providers count nothing. */
export function learnFromCall(scene: Scene, usage: Usage, tail: readonly Message[]): void {
  const counted = totalTokens(usage) - usage.output;
  if (counted > 0) scene.options.meter.learn(routeName(scene), guessRequest(scene, tail), counted);
}

/**
 * The same from the last count of a session that was loaded: a process that compresses before its first call knows
 * nothing of the model yet, and would plan by a guess that the figure is not made of.
 */
export function learnFromMeasured(scene: Scene): void {
  const { session, options } = scene;
  const { measured, history } = session;
  const route = routeName(scene);
  if (measured?.route !== route) return;
  const covered = options.meter.ofMessages(route, history.slice(0, measured.messages));
  options.meter.learn(route, fixedTokens(scene) + covered, measured.tokens);
}

/** What is known once an answer is stored as message number `messages`. Thinking that is not sent back counts no more. */
export function measure(call: CallRecord, answer: Message | undefined, messages: number): Measured | undefined {
  const { usage, provider, model } = call;
  const total = totalTokens(usage);
  if (total === usage.output) return undefined;
  const unsent = answer?.role === 'assistant' && !sendsThinkingBack(answer) ? usage.reasoning : 0;
  return { route: `${provider}/${model}`, tokens: total - unsent, messages };
}

function sendsThinkingBack({ reasoningDetails, codexReasoningItems }: AssistantMessage): boolean {
  return (reasoningDetails?.length ?? 0) > 0 || (codexReasoningItems?.length ?? 0) > 0;
}

export function routeName({ routes }: Pick<Scene, 'routes'>): string {
  const { provider, model } = routes.describe();
  return `${provider}/${model}`;
}
