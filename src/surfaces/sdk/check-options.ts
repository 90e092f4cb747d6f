import * as z from 'zod/mini';
import { ConfigurationError } from '../../base/index.ts';
import { HermesTool } from './define-tool.ts';
import type { HermesOptions } from './hermes.ts';

/** Rejects options of a wrong shape and unknown ones, so that a misspelt option is never ignored. */
export function checkOptions(options: HermesOptions): void {
  const { error } = optionsSchema().safeParse(options);
  const issue = error?.issues[0];
  if (issue === undefined) return;
  throw new ConfigurationError(`createHermes: ${describe(issue)}.`, { hint: 'docs/sdk.md lists all options.' });
}

function describe(issue: { code?: string; path: PropertyKey[]; message: string; keys?: string[] }): string {
  const at = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys')
    return `"${[at, issue.keys?.[0]].filter(Boolean).join('.')}" is not an option`;
  return `${at === '' ? 'the options' : `\`${at}\``} must be ${issue.message}`;
}

function optionsSchema() {
  const text = z.string('a string');
  const name = z.string('a string').check(z.minLength(1, 'a string that is not empty'));
  const url = z.custom(isHttpUrl, 'a URL such as https://host/v1');
  const names = z.array(name, 'a list of strings');
  const mapping = z.record(z.string(), z.unknown(), 'an object');
  const callback = z.custom((value) => typeof value === 'function', 'a function');
  const tool = z.custom((value) => value instanceof HermesTool, 'a tool made with `defineTool`');
  const storage = z.custom(isStorage, 'an object with the functions `save` and `load`');
  const size = z.int('a whole number').check(z.positive('greater than 0'));
  const model = z.strictObject(
    {
      provider: name,
      model: name,
      apiKey: z.optional(name),
      baseUrl: z.optional(url),
      contextLength: z.optional(size),
    },
    { error: (issue) => (issue.code === 'invalid_type' ? 'an object with `provider` and `model`' : undefined) },
  );
  return z.strictObject(
    {
      model: z.optional(model),
      fallbacks: z.optional(z.array(model, 'a list of models')),
      home: z.optional(name),
      config: z.optional(mapping),
      storage: z.optional(storage),
      workingDirectory: z.optional(name),
      tools: z.optional(z.array(tool, 'a list of tools')),
      toolsets: z.optional(names),
      instructions: z.optional(text),
      source: z.optional(name),
      attended: z.optional(z.boolean('true or false')),
      env: z.optional(mapping),
      onApproval: z.optional(callback),
      onQuestion: z.optional(callback),
    },
    { error: (issue) => (issue.code === 'invalid_type' ? 'an object' : undefined) },
  );
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '');
}

function isStorage(value: unknown): boolean {
  const { save, load } = (value ?? {}) as Record<string, unknown>;
  return typeof save === 'function' && typeof load === 'function';
}
