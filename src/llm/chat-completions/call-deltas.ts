import { canonicalJson, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';
import { asNumber, asObject, asText } from '../json-access.ts';
import type { PartialCall } from '../tool-call-ids.ts';

/** A call that is being streamed, with the index of its deltas. */
export type ChatCall = PartialCall & { index: number | undefined };

type Delta = {
  index: number | undefined;
  id: string | undefined;
  name: string | undefined;
  arguments: string;
  extraContent: JsonValue | undefined;
};

/** Adds a delta to the calls. Also returns the name of its call if the name has just become known. */
export function addCallDelta(calls: readonly ChatCall[], source: JsonObject): [ChatCall[], string | undefined] {
  const delta = readDelta(source);
  const position = positionOf(calls, delta);
  const known = position < 0 ? undefined : calls[position];
  const call: ChatCall = {
    ...(known ?? { index: delta.index, name: '' }),
    id: known?.id ?? delta.id,
    name: known?.name || (delta.name ?? ''),
    arguments: (known?.arguments ?? '') + delta.arguments,
  };
  const extraContent = delta.extraContent ?? known?.extraContent;
  if (extraContent !== undefined) call.extraContent = extraContent;
  const next = known === undefined ? [...calls, call] : calls.with(position, call);
  return [next, !known?.name && call.name !== '' ? call.name : undefined];
}

function readDelta(source: JsonObject): Delta {
  const definition = asObject(source.function) ?? {};
  const args = definition.arguments;
  return {
    index: asNumber(source.index),
    id: asText(source.id),
    name: asText(definition.name),
    // Some providers send an object instead of a string; it is serialised canonically.
    arguments: typeof args === 'string' ? args : args === undefined || args === null ? '' : canonicalJson(args),
    extraContent: source.extra_content ?? undefined,
  };
}

/** The call that a delta belongs to; -1 for a new one. */
function positionOf(calls: readonly ChatCall[], delta: Delta): number {
  const last = calls.length - 1;
  let position = last;
  if (delta.index !== undefined) position = calls.findLastIndex((call) => call.index === delta.index);
  else if (delta.id !== undefined) position = calls.findLastIndex((call) => call.id === delta.id);
  const found = calls[position];
  return found !== undefined && startsAnother(found, delta) ? -1 : position;
}

/**
 * Whether a delta starts a new call instead of continuing the one that was found. Some providers use the same index
 * for every call, or none, or the same id. A delta with a name is then a new call if its id differs, or if it has
 * arguments and those of the found call are already complete.
 */
function startsAnother(found: ChatCall, delta: Delta): boolean {
  if (delta.name === undefined || found.name === '') return false;
  if (delta.id !== undefined && found.id !== undefined && delta.id !== found.id) return true;
  const sameCall = delta.index !== undefined && delta.id !== undefined && delta.id === found.id;
  return !sameCall && delta.arguments !== '' && isComplete(found.arguments);
}

function isComplete(text: string): boolean {
  return asObject(parseJson(text)) !== undefined;
}
