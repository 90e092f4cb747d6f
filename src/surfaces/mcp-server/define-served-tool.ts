import * as z from 'zod/mini';
import { HermesError, isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { redactSecrets } from '../../util/index.ts';
import type { ServedCall, ServedResult, ServedTool } from './served-parts.ts';

type Specification<Parameters extends z.ZodMiniObject> = Pick<ServedTool, 'name' | 'title' | 'description'> & {
  parameters: Parameters;
  outputSchema?: JsonObject;
  /** The tool changes nothing. */
  readOnly: boolean;
  /** The tool reaches other people or services. */
  isOpenWorld?: boolean;
  /** The tool is not only for the user: it shows a caller nothing that does not belong to it. */
  isForAll?: boolean;
  /** Throws `HermesError` if the call cannot be answered. */
  run(args: z.output<Parameters>, call: ServedCall): Promise<ServedResult>;
};

/** Defines a tool of the server. Its results never contain secrets, and its errors are results that clients can read. */
export function defineServedTool<Parameters extends z.ZodMiniObject>(
  specification: Specification<Parameters>,
): ServedTool {
  const {
    name,
    title,
    description,
    parameters,
    outputSchema,
    readOnly,
    isOpenWorld = false,
    isForAll = false,
    run,
  } = specification;
  const { $schema: _, ...inputSchema } = z.toJSONSchema(parameters, { io: 'input' }) as JsonObject;
  return {
    name,
    title,
    description,
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    annotations: {
      readOnlyHint: readOnly,
      ...(!readOnly && { destructiveHint: isOpenWorld }),
      openWorldHint: isOpenWorld,
    },
    isPrivate: !isForAll,
    async call(args, call) {
      const parsed = parameters.safeParse(args);
      if (!parsed.success) return { error: `${name}: ${describe(parsed.error)}` };
      try {
        return redacted(await run(parsed.data, call));
      } catch (thrown) {
        if (!(thrown instanceof HermesError)) throw thrown;
        return { error: redactSecrets([thrown.message, thrown.hint].filter(Boolean).join(' ')) };
      }
    },
  };
}

function describe(error: z.core.$ZodError): string {
  const [issue] = error.issues;
  const at = issue?.path.map(String).join('.') || 'the arguments';
  return `\`${at}\` is invalid: ${issue?.message ?? 'not accepted'}.`;
}

function redacted(served: ServedResult): ServedResult {
  if ('form' in served) return { ...served, form: { ...served.form, message: redactSecrets(served.form.message) } };
  if ('error' in served) return { error: redactSecrets(served.error) };
  const { text } = served;
  return {
    ...served,
    result: redactValue(served.result) as JsonObject,
    ...(text !== undefined && { text: redactSecrets(text) }),
  };
}

/** Replaces the secrets in all texts of a value. */
export function redactValue(value: JsonValue): JsonValue {
  if (typeof value === 'string') return redactSecrets(value);
  if (Array.isArray(value)) return value.map(redactValue);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redactValue(inner)]));
}

/** A number of items, with its limits in the description. */
export function limitParameter(what: string, usual: number, most: number) {
  const about = `Maximum number of ${what} to return (at most ${most}).`;
  return z._default(z.int('an integer is required').check(z.describe(about)), usual);
}

export function clampLimit(limit: number, most: number): number {
  return Math.max(1, Math.min(limit, most));
}
