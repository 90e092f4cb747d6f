import { derivedCallId, type ToolCall } from '../base/index.ts';

/** A tool call that may be incomplete. */
export type PartialCall = Omit<ToolCall, 'id'> & { id: string | undefined };

/** A number that grows with every new call and every part of its arguments. */
export function callsSize(calls: readonly { arguments: string }[]): number {
  return calls.reduce((sum, call) => sum + 1 + call.arguments.length, 0);
}

/**
 * Gives every call of a response a unique id. A missing or repeated id is derived from the call and its position, so
 * that the same response always gets the same ids.
 */
export function withUniqueIds(calls: readonly PartialCall[]): ToolCall[] {
  const taken = new Set<string>();
  return calls.filter(isCall).map((call, position) => {
    const { id: given, name, arguments: args } = call;
    let id = given;
    // A derived id collides only if a provider happened to send the same text; then another one is derived.
    while (!id || taken.has(id)) id = derivedCallId({ name, arguments: args, position, taken: id });
    taken.add(id);
    return { ...call, id };
  });
}

/** Some providers start a call and never send its content. */
function isCall(call: PartialCall): boolean {
  return call.name !== '' || call.arguments !== '' || Boolean(call.id);
}
