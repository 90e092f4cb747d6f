import type { Function as ShellFunction, SyntaxNode } from 'unbash';

/** A function that starts itself beside itself, whatever it is called. */
export function isForkBomb(parser: Pick<typeof import('unbash'), 'forEachChild'>, node: ShellFunction): boolean {
  const name = node.name.value;
  let spreads = false;
  let callsItself = false;
  const look = (child: SyntaxNode): void => {
    spreads ||= child.type === 'Pipeline' || (child.type === 'Statement' && child.background === true);
    callsItself ||= child.type === 'Command' && child.name?.value === name;
    parser.forEachChild(child, look);
  };
  look(node.body);
  return spreads && callsItself;
}
