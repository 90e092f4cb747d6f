import { createHash } from 'node:crypto';
import type { RebuiltStep } from '../../agent/index.ts';
import { attachmentsOf, type JsonValue, type Message } from '../../base/index.ts';
import type { ModelRoute } from '../../contracts/index.ts';
import { redactSecrets, shorten } from '../../util/index.ts';
import {
  describeDifference,
  findPath,
  findTextDifference,
  isExtension,
  withoutCacheMarkers,
} from './find-difference.ts';
import { callsOf, type ReplayDifference, type ReplayStep } from './replay-step.ts';

/** Describes each request, and where it differs from what the history and the previous request imply. */
export function describeSteps(
  steps: readonly RebuiltStep[],
  history: readonly Message[],
  { client }: ModelRoute,
): ReplayStep[] {
  const reported = new Set<string>();
  let before: string | undefined;
  return steps.map(({ request, messages, answer }, index) => {
    const { body } = client.prepare(request);
    const repairs = findRepairs(history.slice(0, messages), request.messages).filter((repair) => !reported.has(repair));
    for (const repair of repairs) reported.add(repair);
    const differences: ReplayDifference[] = repairs.map((message) => ({ kind: 'history', message }));
    const broken = before === undefined ? undefined : describeBreak(before, body);
    if (broken !== undefined) differences.push({ kind: 'prefix', message: broken });
    before = body;
    const text = answer?.role === 'assistant' ? answer.content : undefined;
    const calls = callsOf(answer).map(({ name }) => name);
    const bytes = Buffer.byteLength(body);
    return { step: index + 1, messages, bytes, hash: hashOf(body), calls, text, differences };
  });
}

function hashOf(body: string): string {
  return createHash('sha256').update(withoutCacheMarkers(body)).digest('hex');
}

/** Describes why a request does not extend the previous one; undefined if it does. */
function describeBreak(before: string, after: string): string | undefined {
  if (isExtension(before, after)) return undefined;
  const [old, now] = [before, after].map((body) => JSON.parse(withoutCacheMarkers(body)) as JsonValue);
  const path = findPath(old as JsonValue, now);
  const found = findTextDifference(textAt(old, path), textAt(now, path));
  const position = path === undefined ? 'in the order of its fields' : `at ${path.join('.')}`;
  return `It does not extend the previous request; first difference ${position}${found === undefined ? '.' : `: ${describeDifference(found)}`}`;
}

function textAt(body: JsonValue | undefined, path: readonly string[] = []): string {
  let value: unknown = body;
  for (const key of path) value = (value as Record<string, unknown> | undefined)?.[key];
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

const SHOWN = 60;

/** Lists history repairs: messages that were omitted, changed or added. Trimmed whitespace is not reported. */
function findRepairs(history: readonly Message[], sent: readonly Message[]): string[] {
  const [there, wanted] = [new Set(sent.map(contentOf)), new Set(history.map(contentOf))];
  const left = history.flatMap((message, index) =>
    there.has(contentOf(message)) ? [] : [`message ${index + 1} (${describe(message)}) is omitted or changed`],
  );
  // The images of tool results may follow in a user message.
  const hasResultImages = history.some((message) => message.role === 'tool' && attachmentsOf(message).length > 0);
  if (hasResultImages) wanted.add(USER_WITH_FILES);
  const added = sent.flatMap((message, index) =>
    wanted.has(contentOf(message)) ? [] : [`message ${index + 1} of the request (${describe(message)}) is added`],
  );
  return [...left, ...added];
}

const USER_WITH_FILES = 'user with files';

/** The parts of a message that are compared. Attachments have another form when they are sent. */
function contentOf(message: Message): string {
  if (message.role === 'user' && message.attachments !== undefined) return USER_WITH_FILES;
  if (message.role === 'tool' && message.attachments !== undefined) return `${message.toolCallId} with files`;
  const text = message.role === 'user' ? (message.sentContent ?? message.content) : message.content;
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [];
  const link = message.role === 'tool' ? message.toolCallId : '';
  return JSON.stringify([message.role, text.trim(), calls, link]);
}

function describe(message: Message): string {
  const name = message.role === 'tool' ? `result of ${message.toolName ?? 'a tool'}` : message.role;
  return `${name}: ${shorten(redactSecrets(message.content).replaceAll(/\s+/g, ' ').trim(), SHOWN)}`;
}
