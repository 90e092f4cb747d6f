import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, newId } from '../../base/index.ts';
import type { WebhookRoute } from '../../config/gateway/index.ts';
import type { AnswerDelivery, ChannelEvent, ChatSource, IncomingContent } from '../../contracts/index.ts';
import { HttpError } from '../../http/index.ts';
import { renderPrompt, renderText, valueAt } from './template.ts';

/** A request whose signature is valid. */
export type WebhookRequest = {
  header(name: string): string | undefined;
  payload: JsonObject;
  body: Uint8Array;
  receivedAt: number;
};

/** What a request was sent for, for filters and for people. */
const PLAIN_EVENT = /^[\w .:/-]{1,80}$/;

/**
 * The names of the event of a request. GitLab has two for each: `Merge Request Hook` in the header, and
 * `merge_request` in the payload.
 */
export function eventNames({ header, payload }: Pick<WebhookRequest, 'header' | 'payload'>): string[] {
  const github = header('x-github-event');
  const kinds = [payload['event_type'], payload['object_kind']];
  const names = github === undefined ? [header('x-gitlab-event'), ...kinds] : [github];
  return names.filter((name) => typeof name === 'string' && PLAIN_EVENT.test(name)) as string[];
}

/** GitHub sends `ping` when a webhook is created; a route handles it only if it names it. */
export function isAccepted({ events }: Pick<WebhookRoute, 'events'>, names: readonly string[]): boolean {
  const lower = names.map((name) => name.toLowerCase());
  if (events.length === 0) return !lower.includes('ping');
  return events.some((event) => lower.includes(event.toLowerCase()));
}

const PLAIN_ID = /^[\w.-]{1,128}$/;

/**
 * The id of a delivery, which is the same if the sender repeats it. GitLab uses one UUID for all requests that follow
 * from each other, so the body counts there, too. A signature with a time is unique. Without any of these, every request
 * is a new one.
 */
export function deliveryId({ header, body }: Pick<WebhookRequest, 'header' | 'body'>): string {
  const given = header('x-github-delivery') ?? header('idempotency-key');
  const gitlab = header('x-gitlab-event-uuid');
  const timed = header('x-webhook-signature-v2');
  const id =
    given ??
    (gitlab === undefined ? undefined : `${gitlab}-${hash(body).slice(0, 16)}`) ??
    header('x-request-id') ??
    (timed === undefined ? newId('request') : hash(timed).slice(0, 32));
  return PLAIN_ID.test(id) ? id : hash(id);
}

function hash(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** The event for the inbox. Throws `HttpError` if the answer could not be delivered. */
export function toEvent(route: WebhookRoute, request: WebhookRequest, id: string): ChannelEvent {
  const { name, skills, toolsets } = route;
  // The format of the original, so that keys of sessions are the same.
  const source: ChatSource = {
    platform: 'webhook',
    chatType: 'webhook',
    chatId: `webhook:${name}:${id}`,
    chatName: `webhook/${name}`,
    userId: `webhook:${name}`,
    userName: name,
  };
  if (skills.length > 0) source.skills = [...skills];
  if (toolsets !== undefined) source.toolsets = [...toolsets];
  const content = contentOf(route, request);
  const urls = (content.fields ?? []).map(({ value }) => value).filter((value) => URL_ONLY.test(value));
  if (urls.length > 0) source.urls = urls;
  return {
    id: `${name}:${id}`,
    kind: 'message',
    source,
    sentAt: request.receivedAt,
    content: { messageId: id, files: [], isAddressed: true, ...content },
    delivery: deliveryOf(route, request.payload),
  };
}

/** A field that is nothing but a URL, such as `{pull_request.diff_url}`. */
const URL_ONLY = /^https?:\/\/\S{1,2000}$/;

function contentOf(
  { name, prompt, deliverOnly }: WebhookRoute,
  request: WebhookRequest,
): Pick<IncomingContent, 'text' | 'fields' | 'isAnswer'> {
  const [event] = eventNames(request);
  const heading = `The webhook ${name} received ${event === undefined ? 'a request' : `the event "${event}"`}.`;
  const template = prompt === '' ? `${heading} Its payload is {__raw__}` : prompt;
  if (deliverOnly) return { text: renderText(template, request.payload), isAnswer: true };
  return renderPrompt(template, request.payload);
}

const [REPOSITORY, NUMBER] = [/^[A-Za-z0-9][\w.-]*\/[\w.-]+$/, /^[1-9]\d{0,9}$/];

function deliveryOf({ name, deliver, deliverExtra }: WebhookRoute, payload: JsonObject): AnswerDelivery {
  const extra = (key: string) => {
    const template = deliverExtra[key];
    return template === undefined ? undefined : renderText(template, payload).trim();
  };
  if (deliver === 'log') return { to: 'log' };
  if (deliver !== 'github_comment') {
    const thread = extra('message_thread_id') ?? extra('thread_id');
    const target = [deliver, extra('chat_id'), thread].filter((part) => part !== undefined && part !== '').join(':');
    return { to: 'chat', target };
  }
  const repository = extra('repo') ?? textAt(payload, 'repository.full_name');
  const number = extra('pr_number') ?? numberOf(payload);
  if (REPOSITORY.test(repository) && NUMBER.test(number)) return { to: 'github_comment', repository, number };
  throw new HttpError(422, 'no_target', `The payload names no pull request on which ${name} could comment.`);
}

function numberOf(payload: JsonObject): string {
  const paths = ['pull_request.number', 'issue.number', 'number'];
  return paths.map((path) => textAt(payload, path)).find((text) => text !== '') ?? '';
}

function textAt(payload: JsonObject, path: string): string {
  const value = valueAt(payload, path);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** The payload of a JSON body. */
export function requireObject(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw new HttpError(400, 'no_object', 'The body must be a JSON object.');
}
