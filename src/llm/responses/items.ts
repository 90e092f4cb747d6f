import { canonicalJson, type JsonObject, type JsonValue } from '../../base/index.ts';
import { asNumber, asObject, asObjects, asString, asText } from '../json-access.ts';
import type { PartialCall } from '../tool-call-ids.ts';

/** An output item as far as it has come; `arguments` grows until the whole item replaces it. */
export type OutputItem = { index: number | undefined; item: JsonObject; arguments: string };

/** Puts an item in its place: a new one, or the whole form of one that is there. */
export function putItem(items: readonly OutputItem[], event: JsonObject): OutputItem[] {
  const item = asObject(event.item);
  if (item === undefined) return [...items];
  const position = itemPosition(items, event, item);
  const known = items[position];
  const entry = { index: known?.index ?? asNumber(event.output_index), item, arguments: known?.arguments ?? '' };
  return known === undefined ? [...items, entry] : items.with(position, entry);
}

/** Adds a piece of arguments to its call. */
export function addArguments(items: readonly OutputItem[], event: JsonObject): OutputItem[] {
  const position = itemPosition(items, event, undefined);
  const known = items[position];
  if (known === undefined) return [...items];
  // The closing event repeats the arguments in full.
  const args = asString(event.arguments) ?? known.arguments + (asString(event.delta) ?? '');
  return items.with(position, { ...known, arguments: args });
}

/** By place, by id, and at last the newest call: servers leave out one or the other. */
function itemPosition(items: readonly OutputItem[], event: JsonObject, item: JsonObject | undefined): number {
  const index = asNumber(event.output_index);
  if (index !== undefined) return items.findLastIndex((each) => each.index === index);
  const id = asText(event.item_id) ?? asText(item?.id);
  if (id !== undefined) return items.findLastIndex((each) => each.item.id === id);
  return item === undefined ? items.findLastIndex((each) => each.item.type === 'function_call') : -1;
}

/** The tool calls among the items. */
export function callsOf(items: readonly OutputItem[]): PartialCall[] {
  return items
    .filter(({ item }) => item.type === 'function_call')
    .map((entry) => {
      const { item } = entry;
      const call: PartialCall = {
        id: asText(item.call_id),
        name: asString(item.name) ?? '',
        arguments: argumentsOf(entry),
      };
      const itemId = asText(item.id);
      if (itemId !== undefined) call.itemId = itemId;
      return call;
    });
}

/** The whole item is right where it has arguments; an item that never got that far has only what was streamed. */
function argumentsOf({ item, arguments: streamed }: OutputItem): string {
  const object = asObject(item.arguments);
  return asText(item.arguments) ?? (object === undefined ? streamed : canonicalJson(object));
}

/** Thinking that can be sent back: without its encrypted content the provider could not find it again. */
export function reasoningItemsOf(items: readonly OutputItem[]): JsonValue[] {
  return items
    .filter(({ item }) => item.type === 'reasoning' && asText(item.encrypted_content) !== undefined)
    .map(({ item }) => item);
}

/** The text of whole message items, refusals included. */
export function textOf(items: readonly OutputItem[]): string {
  return items
    .filter(({ item }) => item.type === 'message')
    .flatMap(({ item }) => asObjects(item.content))
    .map((part) => asText(part.text) ?? asText(part.refusal) ?? '')
    .join('');
}

/** The readable part of whole reasoning items. */
export function reasoningTextOf(items: readonly OutputItem[]): string {
  return items
    .filter(({ item }) => item.type === 'reasoning')
    .flatMap(({ item }) => {
      const summary = asObjects(item.summary);
      return summary.length > 0 ? summary : asObjects(item.content);
    })
    .map((part) => asText(part.text) ?? '')
    .filter((text) => text !== '')
    .join('\n\n');
}
