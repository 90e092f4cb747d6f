import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@cfworker/json-schema';

type Schema = Record<string, unknown> & { 'x-method'?: string; 'x-side'?: string };
type Definitions = Record<string, Schema>;

/** A message of the protocol. */
export type Frame = {
  jsonrpc?: string;
  id?: number | string | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: Record<string, unknown> };
};

const FOLDER = join(import.meta.dirname, '../../node_modules/@agentclientprotocol/sdk/schema/v1');
const loaded = new Map<string, { definitions: Definitions; validators: Map<string, Validator> }>();

/** Validates the messages of one connection against the schema of the official package. */
export function createFrameValidator(unstable = false): (frame: Frame) => string[] {
  const { definitions, validators } = load(unstable ? 'schema.unstable.json' : 'schema.json');
  /** The methods of the requests, by the id of the request and its sender. */
  const asked = new Map<unknown, string>();

  function check(name: string | undefined, value: unknown, what: string): string[] {
    if (name === undefined) return [`${what} is not part of the protocol`];
    const known =
      validators.get(name) ?? new Validator({ $ref: `#/$defs/${name}`, $defs: definitions }, '2020-12', false);
    validators.set(name, known);
    return known.validate(value).errors.map(({ instanceLocation, error }) => `${what} ${instanceLocation}: ${error}`);
  }

  const find = (method: string, ends: readonly string[]) =>
    Object.keys(definitions).find(
      (name) => definitions[name]?.['x-method'] === method && ends.some((end) => name.endsWith(end)),
    );

  return (frame) => {
    const { jsonrpc, id, method, params, result, error } = frame;
    if (jsonrpc !== '2.0') return [`not a message: ${JSON.stringify(frame)}`];
    if (method !== undefined) {
      if (id !== undefined) asked.set(id, method);
      return check(find(method, ['Request', 'Notification']), params, method);
    }
    if (error !== undefined) return check('Error', error, 'error');
    const answered = asked.get(id) ?? '';
    return check(find(answered, ['Response']), result, `the response to ${answered}`);
  };
}

function load(file: string) {
  const known = loaded.get(file);
  if (known !== undefined) return known;
  const { $defs } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as { $defs: Definitions };
  const schema = { definitions: $defs, validators: new Map<string, Validator>() };
  loaded.set(file, schema);
  return schema;
}
