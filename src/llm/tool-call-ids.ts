import { derivedCallId, type ToolCall } from '../base/index.ts';

/** A tool call as far as it has come. */
export type PartialCall = Omit<ToolCall, 'id'> & { id: string | undefined };

/**
 * Gives every call of an answer an id of its own. A missing or repeated one is derived from the call and its place, so
 * that the same answer always gets the same ids.
 */
export function withUniqueIds(calls: readonly PartialCall[]): ToolCall[] {
  const taken = new Set<string>();
  return calls.filter(isCall).map((call, position) => {
    const { id: given, name, arguments: args } = call;
    let id = given;
    // A derived id can only be taken where a provider happened to send that very text; then it is derived once more.
    while (!id || taken.has(id)) id = derivedCallId({ name, arguments: args, position, taken: id });
    taken.add(id);
    return { ...call, id };
  });
}

/** Some providers open a call and never say anything about it. */
function isCall(call: PartialCall): boolean {
  return call.name !== '' || call.arguments !== '' || Boolean(call.id);
}
