import * as z from 'zod/mini';
import { CACHING_MODES } from '../contracts/index.ts';
import { joinWithOr } from '../util/index.ts';
import { findUrlProblem } from './endpoint-url.ts';

export const text = z.string('text (put it in quotes if it looks like a number)');
export const count = z.int('a whole number above 0').check(z.positive('a whole number above 0'));
export const names = z.array(text, 'a list of names');
export const endpoint = text.check(
  // A `${VARIABLE}` is replaced later; its value is checked when the endpoint is used.
  z.refine((value) => value.includes('${') || findUrlProblem(value) === undefined, {
    error: (issue) => findUrlProblem(String(issue.input))?.expected,
  }),
);

/** The rejected value is not repeated in the message, because it may contain a password. */
export const databaseUrl = () =>
  text.check(z.regex(/^\s*(?:postgres(?:ql)?:\/\/|\$\{)/i, 'a URL that starts with postgresql://'));

export const amount = () => z.number('a number above 0').check(z.positive('a number above 0'));
export const secondsOrNone = () =>
  z.number('a number of seconds, or 0 for no limit').check(z.nonnegative('a number of seconds, or 0 for no limit'));
/** A boolean, including the YAML 1.1 spellings. */
export const flag = () => z.optional(z.pipe(z.transform(toFlag), z.boolean('true or false')));

export function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, joinWithOr(values));
}

/** Whether requests get cache markers. Existing files use YAML 1.1, in which `on` and `off` are booleans. */
export function cachingMode() {
  const toMode = (value: unknown) => (value === true ? 'on' : value === false ? 'off' : value);
  return z.optional(z.pipe(z.transform(toMode), oneOf(CACHING_MODES)));
}

export function section<const Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.looseObject(shape, 'a mapping of keys to values');
}

/** Wraps a single value in a list. */
export function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Existing files use YAML 1.1, in which these words are booleans. */
export function toFlag(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const word = value.toLowerCase();
  return ['yes', 'on'].includes(word) || (['no', 'off'].includes(word) ? false : value);
}
