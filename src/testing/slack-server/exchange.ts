import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';
import { type FaultPlan, hasEffect, type PlatformFault, sendWithFault } from '../platform-faults.ts';
import type { EventLog } from '../provider-server/provider-server.ts';
import { readBody, readCall } from '../telegram-server/read-call.ts';
import { METHODS, type MethodContext } from './methods.ts';
import { SlackError } from './slack-error.ts';
import type { World } from './world.ts';

export type SlackCall = {
  method: string;
  parameters: JsonObject;
  /** What Slack answered; undefined if a fault prevented the call. */
  error: string | undefined;
};

export type Handling = {
  world: World;
  appToken: string;
  isAppRevoked(): boolean;
  calls: EventLog<SlackCall>;
  faults: FaultPlan<SlackCall>;
  context: Omit<MethodContext, 'workspace' | 'url'> & { url(): string };
  /** The URL of a new WebSocket. */
  openConnection(): string;
};

type Reply = { status: number; body: Buffer; headers: Record<string, string> };

/** Answers the requests of an app. */
export function createSlackHandler(handling: Handling) {
  return async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = decodeURIComponent(new URL(incoming.url ?? '/', 'http://127.0.0.1').pathname);
    const body = await readBody(incoming).catch(() => undefined);
    const token = /^Bearer (\S+)$/.exec(incoming.headers.authorization ?? '')?.[1];
    if (body === undefined) return void response.writeHead(413).end();
    const [, method] = /^\/api\/([\w.]+)$/.exec(path) ?? [];
    const [kind = '', id = ''] = path
      .split('/')
      .slice(1)
      .filter((part) => part !== 'v1');
    const name = method ?? (kind === 'upload' ? 'upload' : 'download');
    const parameters = method === undefined ? { file: id } : readParameters(incoming, body);
    const call: SlackCall = { method: name, parameters: parameters ?? {}, error: undefined };
    const fault = handling.faults.faultFor(call);
    const reply = hasEffect(fault) ? perform() : faultReply(fault);
    handling.calls.add(call);
    sendWithFault(response, fault?.type === 'accepted' ? faultReply(fault) : reply, fault);

    function perform(): Reply {
      if (method === undefined)
        return kind === 'upload'
          ? upload(handling, id, { body: body as Buffer, type: incoming.headers['content-type'] ?? '' })
          : download(handling, id, token);
      try {
        if (parameters === undefined) throw new SlackError('invalid_form_data');
        return json(200, { ok: true, ...callMethod(handling, { method, parameters, token }) });
      } catch (error) {
        if (!(error instanceof SlackError)) throw error;
        call.error = error.message;
        return json(200, { ok: false, error: error.message, ...error.details });
      }
    }
  };
}

const json = (status: number, body: JsonObject, headers: Record<string, string> = {}): Reply => ({
  status,
  body: Buffer.from(JSON.stringify(body)),
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
});

function faultReply(fault: PlatformFault | undefined): Reply {
  if (fault?.type === 'rate_limit') {
    return json(429, { ok: false, error: 'ratelimited' }, { 'retry-after': String(fault.retryAfter) });
  }
  const status = fault?.type === 'status' || fault?.type === 'accepted' ? fault.status : 200;
  return json(status, { ok: false, error: 'internal_error' });
}

/** Slack accepts forms, in which lists and objects are JSON, and JSON. Undefined for anything else. */
function readParameters({ headers }: IncomingMessage, body: Buffer): JsonObject | undefined {
  const type = headers['content-type'] ?? '';
  if (body.length === 0) return {};
  if (type.startsWith('application/json')) {
    const parsed = parseJson(body.toString('utf8'));
    return isJsonObject(parsed) ? parsed : undefined;
  }
  if (!type.startsWith('application/x-www-form-urlencoded')) return undefined;
  const parameters: Record<string, JsonValue> = {};
  for (const [name, value] of new URLSearchParams(body.toString('utf8'))) {
    parameters[name] = ['blocks', 'chunks', 'metadata', 'files'].includes(name) ? (parseJson(value) ?? value) : value;
  }
  return parameters;
}

type Called = { method: string; parameters: JsonObject; token: string | undefined };

function callMethod(handling: Handling, { method, parameters, token }: Called): JsonObject {
  const { world, appToken } = handling;
  if (token === undefined) throw new SlackError('not_authed');
  const workspace = world.workspaces.find((each) => each.token === token);
  const isApp = token === appToken;
  const isRevoked = isApp ? handling.isAppRevoked() : (workspace?.isRevoked ?? true);
  if (isRevoked) throw new SlackError('invalid_auth');
  if (method === 'apps.connections.open') {
    if (!isApp) throw new SlackError('not_allowed_token_type');
    return { url: handling.openConnection() };
  }
  const found = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (found === undefined) throw new SlackError('unknown_method', { req_method: method });
  if (workspace === undefined) throw new SlackError('not_allowed_token_type');
  const unknown = Object.keys(parameters).filter((name) => !found.accepts.includes(name));
  if (unknown.length > 0) throw new SlackError('invalid_arguments', { needed: unknown.join(',') });
  return found.run(parameters, { ...handling.context, url: handling.context.url(), workspace });
}

/** Slack accepts the bytes as they are, and as a form. */
function upload({ world }: Handling, id: string, { body, type }: { body: Buffer; type: string }): Reply {
  const file = world.files.get(id);
  const form = type.startsWith('multipart/') ? readCall('', new URLSearchParams(), type, body) : undefined;
  const bytes = form === undefined ? body : Object.values(form.files)[0]?.bytes;
  if (file === undefined || bytes?.length !== file.length) {
    return { status: 400, body: Buffer.from('bad upload'), headers: {} };
  }
  file.bytes = bytes;
  return { status: 200, body: Buffer.from(`OK - ${bytes.length}`), headers: {} };
}

/** Without a valid token, Slack shows its login page. */
function download({ world }: Handling, id: string, token: string | undefined): Reply {
  const isAllowed = world.workspaces.some((workspace) => workspace.token === token && !workspace.isRevoked);
  const file = world.files.get(id);
  const headers = { 'content-type': isAllowed ? (file?.mediaType ?? '') : 'text/html; charset=utf-8' };
  if (!isAllowed) return { status: 200, body: Buffer.from('<html>Sign in to Slack</html>'), headers };
  if (file?.bytes === undefined) return { status: 404, body: Buffer.from('not found'), headers: {} };
  return { status: 200, body: Buffer.from(file.bytes), headers };
}
