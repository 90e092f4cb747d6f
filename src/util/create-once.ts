/** Creates a value when it is first needed and remembers it. For values that cannot change while this process runs. */
export function createOnce<Value>(create: () => Value): () => Value {
  let created: { value: Value } | undefined;
  return () => (created ??= { value: create() }).value;
}
