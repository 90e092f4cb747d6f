import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import {
  ConfigurationError,
  errorMessage,
  HermesError,
  isJsonObject,
  type JsonObject,
  parseJson,
} from '../../../base/index.ts';
import {
  changeSubscriptions,
  type GatewaySettings,
  loadGatewaySettings,
  readSubscriptions,
  readWebhookRoute,
  type WebhookRoute,
  webhookUrl,
} from '../../../config/gateway/index.ts';
import { resolveHome } from '../../../config/index.ts';
import { PLATFORMS } from '../../../platforms/index.ts';
import type { CliIo } from '../cli-io.ts';
import { readInput } from '../read-input.ts';
import { writeJson } from '../sessions/write-json.ts';
import { printable } from '../style.ts';

export type SubscribeOptions = {
  prompt?: string;
  events?: string;
  skills?: string;
  deliver?: string;
  deliverChatId?: string;
  deliverOnly?: boolean;
  description?: string;
  secret?: string;
};
export type TestOptions = { payload?: string; event?: string };

const SECRET_BYTES = 32;
const ENABLE_HINT = 'Webhooks are not enabled. Enable them: hermes config set WEBHOOK_ENABLED true';

const loadSettings = (io: CliIo) =>
  loadGatewaySettings({ home: resolveHome(io.env), env: io.env, platforms: PLATFORMS });

/** `hermes webhook subscribe`. */
export async function subscribeWebhook(given: string, options: SubscribeOptions, io: CliIo): Promise<number> {
  const name = readName(given);
  const settings = await loadSettings(io);
  const { webhooks } = settings;
  if (webhooks.routes.some((route) => route.name === name))
    throw new ConfigurationError(`config.yaml has a route ${name}, which takes precedence.`, {
      hint: 'Change the route there, or choose another name.',
    });
  const secret = options.secret === '-' ? (await readInput(io)).trim() : options.secret;
  let [isNew, saved] = [true, {} as JsonObject];
  await changeSubscriptions(resolveHome(io.env), (current) => {
    isNew = current[name] === undefined;
    saved = toEntry(current[name], { ...options, secret });
    requireRoute(name, saved, settings);
    return { ...current, [name]: saved };
  });
  const route = requireRoute(name, saved, settings);
  const lines = [
    `${isNew ? 'Created' : 'Changed'} the webhook ${name}.`,
    ...describeRoute(route, settings),
    `  Secret:   ${route.secret}`,
    ...(webhooks.isEnabled ? [] : [ENABLE_HINT]),
  ];
  io.stdout.write(`${lines.map(printable).join('\n')}\n`);
  return 0;
}

/** As in the original, a name can be written with spaces and capital letters. */
function readName(given: string): string {
  const name = given.trim().toLowerCase().replaceAll(' ', '-');
  if (/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name)) return name;
  throw new ConfigurationError(`${JSON.stringify(given)} is not a valid name.`, {
    hint: 'Use lower-case letters, digits, "-" and "_", at most 64.',
  });
}

/** The entry in the file. What the options do not say stays, also keys of other versions. */
function toEntry(existing: JsonObject | undefined, options: SubscribeOptions): JsonObject {
  const list = (text: string) => text.split(',').flatMap((part) => part.trim() || []);
  const defaults: JsonObject = {
    description: '',
    events: [],
    secret: randomBytes(SECRET_BYTES).toString('base64url'),
    prompt: '',
    skills: [],
    deliver: 'log',
    created_at: new Date().toISOString().replace(/\.\d+/, ''),
  };
  const entry: JsonObject = { ...defaults, ...existing };
  const { events, skills, deliverChatId } = options;
  if (options.description !== undefined) entry['description'] = options.description;
  if (options.prompt !== undefined) entry['prompt'] = options.prompt;
  if (options.deliver !== undefined) entry['deliver'] = options.deliver;
  if (options.secret !== undefined) entry['secret'] = options.secret;
  if (events !== undefined) entry['events'] = list(events);
  if (skills !== undefined) entry['skills'] = list(skills);
  if (options.deliverOnly) entry['deliver_only'] = true;
  const extra = isJsonObject(entry['deliver_extra']) ? entry['deliver_extra'] : {};
  if (deliverChatId !== undefined) entry['deliver_extra'] = { ...extra, chat_id: deliverChatId };
  return entry;
}

function requireRoute(name: string, entry: JsonObject, { webhooks, platforms }: GatewaySettings): WebhookRoute {
  const route = readWebhookRoute(name, entry, { origin: 'subscription', globalSecret: webhooks.secret });
  if ('problem' in route) throw new ConfigurationError(route.problem);
  const [platform = ''] = route.deliver.split(':');
  const targets = ['log', 'github_comment', ...platforms.map((each) => each.name)];
  if (targets.includes(platform)) return route;
  throw new ConfigurationError(`Answers cannot be delivered to ${JSON.stringify(route.deliver)}.`, {
    hint: `Use one of: ${targets.join(', ')}. \`hermes gateway setup\` connects a platform.`,
  });
}

function describeRoute(route: WebhookRoute, { webhooks }: GatewaySettings): string[] {
  const { name, description, events, deliver, deliverOnly, deliverExtra, toolsets } = route;
  const chat = deliverExtra['chat_id'];
  const target = `${deliver}${chat === undefined ? '' : `:${chat}`}${deliverOnly ? ', without an agent' : ''}`;
  return [
    ...(description === '' ? [] : [`  ${description}`]),
    `  URL:      ${webhookUrl(webhooks, name)}`,
    `  Events:   ${events.length === 0 ? 'all' : events.join(', ')}`,
    `  Answer:   ${target}`,
    ...(toolsets === undefined ? [] : [`  Tool sets: ${toolsets.join(', ')}`]),
  ];
}

type Listed = { name: string; route: WebhookRoute } | { name: string; problem: string };

async function listRoutes(io: CliIo, { webhooks }: GatewaySettings): Promise<Listed[]> {
  const fixed = webhooks.routes.map((route): Listed => ({ name: route.name, route }));
  const names = new Set(fixed.map(({ name }) => name));
  const saved = Object.entries(await readSubscriptions(resolveHome(io.env))).filter(([name]) => !names.has(name));
  const context = { origin: 'subscription', globalSecret: webhooks.secret } as const;
  return [
    ...fixed,
    ...saved.map(([name, entry]): Listed => {
      const route = readWebhookRoute(name, entry, context);
      return 'problem' in route ? { name, problem: route.problem } : { name, route };
    }),
  ];
}

/** `hermes webhook list`. Secrets are not shown. */
export async function listWebhooks({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const settings = await loadSettings(io);
  const listed = await listRoutes(io, settings);
  if (json) {
    const { webhooks } = settings;
    const routes = listed.map((each) => {
      if ('problem' in each) return each;
      const { secret: _, ...shown } = each.route;
      return { ...shown, url: webhookUrl(webhooks, each.name) };
    });
    writeJson(io.stdout, { enabled: webhooks.isEnabled, routes });
    return 0;
  }
  const lines = listed.flatMap((each) =>
    'problem' in each
      ? [`${each.name} is not served`, `  ${each.problem}`]
      : [
          each.route.origin === 'config' ? `${each.name} (config.yaml)` : each.name,
          ...describeRoute(each.route, settings),
        ],
  );
  if (listed.length === 0) lines.push('There are no webhooks. Create one: hermes webhook subscribe NAME');
  if (!settings.webhooks.isEnabled) lines.push(ENABLE_HINT);
  for (const problem of settings.problems.filter((each) => each.includes('webhook route'))) lines.push(problem);
  io.stdout.write(`${lines.map(printable).join('\n')}\n`);
  return 0;
}

/** `hermes webhook remove`. */
export async function removeWebhook(given: string, io: CliIo): Promise<number> {
  const name = given.trim();
  const { webhooks } = await loadSettings(io);
  let isFound = false;
  await changeSubscriptions(resolveHome(io.env), (current) => {
    const { [name]: removed, ...others } = current;
    isFound = removed !== undefined;
    return isFound ? others : undefined;
  });
  if (!isFound) {
    const isFixed = webhooks.routes.some((route) => route.name === name);
    throw new HermesError(`There is no subscription ${JSON.stringify(name)}.`, {
      hint: isFixed ? 'The route is in config.yaml: remove it there.' : '`hermes webhook list` shows all webhooks.',
    });
  }
  io.stdout.write(printable(`Removed the webhook ${name}.`) + '\n');
  return 0;
}

const TEST_PAYLOAD = '{"test": true, "message": "A test request of hermes webhook test"}';
const TEST_MS = 15_000;

/** `hermes webhook test`. Returns 0 if the gateway accepted the request. */
export async function testWebhook(name: string, options: TestOptions, io: CliIo, signal: AbortSignal): Promise<number> {
  const settings = await loadSettings(io);
  const found = (await listRoutes(io, settings)).find((each) => each.name === name.trim());
  if (found === undefined)
    throw new HermesError(`There is no webhook ${JSON.stringify(name)}.`, { hint: '`hermes webhook list` shows all.' });
  if ('problem' in found) throw new ConfigurationError(found.problem);
  const payload = options.payload === '-' ? await readInput(io) : (options.payload ?? TEST_PAYLOAD);
  if (!isJsonObject(parseJson(payload))) throw new ConfigurationError('--payload must be a JSON object.');
  const url = webhookUrl(settings.webhooks, found.name, true);
  const response = await fetch(url, {
    method: 'POST',
    body: payload,
    headers: {
      'content-type': 'application/json',
      'x-github-event': options.event ?? found.route.events[0] ?? 'test',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${createHmac('sha256', found.route.secret).update(payload).digest('hex')}`,
    },
    signal: AbortSignal.any([signal, AbortSignal.timeout(TEST_MS)]),
  }).catch((thrown: unknown) => {
    throw new HermesError(`Cannot reach ${url}: ${errorMessage((thrown as Error).cause ?? thrown)}.`, {
      hint: settings.webhooks.isEnabled
        ? 'Is the gateway running? Start it with `hermes gateway run`, or restart it if webhooks were enabled later.'
        : ENABLE_HINT,
    });
  });
  io.stdout.write(printable(`${response.status} ${await response.text()}`) + '\n');
  return response.ok ? 0 : 1;
}
