import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';

/** What happens to the requests of a webhook. */
export type WebhookRoute = {
  name: string;
  /** Proves who sent a request. */
  secret: string;
  /** The events that are accepted; empty for all. */
  events: readonly string[];
  /** The template of the prompt; empty for a prompt with the whole payload. */
  prompt: string;
  skills: readonly string[];
  /** Undefined for the tool set of webhooks. */
  toolsets: readonly string[] | undefined;
  /** `log`, `github_comment`, or a platform, with its details in templates. */
  deliver: string;
  deliverExtra: Readonly<Record<string, string>>;
  /** The rendered template is delivered as it is, without a turn. */
  deliverOnly: boolean;
  description: string;
  /** Where the route is defined: `config.yaml` or `webhook_subscriptions.json`. */
  origin: 'config' | 'subscription';
};

/** The value with which the original switches the check of signatures off. */
const NO_AUTHENTICATION = 'INSECURE_NO_AUTH';
/** Keys of the original that decide whether a request is handled. Without them, a route would do more than it should. */
const UNSUPPORTED = ['filters', 'script', 'cron_job', 'coalesce'] as const;
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

export type RouteContext = { origin: WebhookRoute['origin']; globalSecret: string | undefined };

/** Reads a route, in the format of the original. A problem is one sentence that says why the route is not served. */
export function readWebhookRoute(
  name: string,
  value: JsonValue | undefined,
  { origin, globalSecret }: RouteContext,
): WebhookRoute | { problem: string } {
  const refuse = (problem: string) => ({ problem: `The webhook route ${JSON.stringify(name)} ${problem}` });
  if (!NAME.test(name)) return refuse('may have letters, digits, ".", "_" and "-" only.');
  if (!isJsonObject(value)) return refuse('is not a mapping of keys to values.');
  const secret = textOf(value, 'secret') || globalSecret || '';
  if (secret === NO_AUTHENTICATION) return refuse(`has no secret: ${NO_AUTHENTICATION} is not supported.`);
  if (secret === '') return refuse('has no secret. Set `secret` in the route, or WEBHOOK_SECRET for all routes.');
  const unsupported = UNSUPPORTED.find((key) => value[key] !== undefined && value[key] !== null);
  if (unsupported !== undefined)
    return refuse(
      `uses \`${unsupported}\`, which is not supported. It is not served, because without the key it would handle more requests than it should; remove the key to serve it.`,
    );
  const profile = textOf(value, 'profile');
  if (profile !== '' && profile !== 'default') return refuse('belongs to another profile.');
  const deliver = textOf(value, 'deliver') || 'log';
  const deliverOnly = value['deliver_only'] === true;
  if (deliverOnly && deliver === 'log') return refuse('has `deliver_only`, so `deliver` must name a platform.');
  return {
    name,
    secret,
    events: listOf(value, 'events'),
    prompt: textOf(value, 'prompt'),
    skills: listOf(value, 'skills'),
    toolsets: value['toolsets'] === undefined ? undefined : listOf(value, 'toolsets'),
    deliver,
    deliverExtra: readExtra(value['deliver_extra']),
    deliverOnly,
    description: textOf(value, 'description'),
    origin,
  };
}

function textOf(value: JsonObject, key: string): string {
  const text = value[key];
  return typeof text === 'string' ? text.trim() : '';
}

function listOf(value: JsonObject, key: string): string[] {
  const list = value[key];
  const all = Array.isArray(list) ? list : [list];
  return all.flatMap((each) => (typeof each === 'string' && each.trim() !== '' ? [each.trim()] : []));
}

function readExtra(value: JsonValue | undefined): Record<string, string> {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  const isScalar = (each: unknown) => typeof each === 'string' || typeof each === 'number';
  return Object.fromEntries(entries.flatMap(([key, each]) => (isScalar(each) ? [[key, String(each)]] : [])));
}
