import { type Document, isMap } from 'yaml';
import { parseConfig } from './parse-config.ts';

/** A key and what it becomes; undefined removes it. */
export type ConfigChange = { path: readonly string[]; value: ConfigValue | undefined };
export type ConfigValue = string | number | boolean | readonly string[];

/** The text of a config file with single keys changed and everything else kept, comments and order included. */
export function editConfig(file: string, content: string, changes: readonly ConfigChange[]): string {
  const { document } = parseConfig(file, content);
  for (const change of changes) applyChange(document, change);
  const edited = document.toString({ lineWidth: 0 });
  // What is about to be written must be readable again: a wrong value is refused here and not at the next start.
  parseConfig(file, edited);
  return edited;
}

function applyChange(document: Document, change: ConfigChange): void {
  if (change.value === undefined) {
    if (isMap(document.getIn(change.path.slice(0, -1)))) document.deleteIn(change.path);
    return;
  }
  if (!isMap(document.contents)) document.contents = document.createNode({});
  makeWay(document, change.path);
  document.setIn(change.path, document.createNode(change.value));
}

/** `model: name` becomes a mapping before `model.provider` can be set; the name stays, as its `default`. */
function makeWay(document: Document, path: readonly string[]): void {
  for (let length = 1; length < path.length; length += 1) {
    const parent = path.slice(0, length);
    const present: unknown = document.getIn(parent);
    if (isMap(present)) continue;
    const isShortModel = length === 1 && path[0] === 'model' && typeof present === 'string' && present !== '';
    document.setIn(parent, document.createNode(isShortModel ? { default: present } : {}));
  }
}
