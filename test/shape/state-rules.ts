import {
  type AssignmentTarget,
  type Expression,
  type Program,
  type TSType,
  type VariableDeclaration,
  type VariableDeclarator,
  Visitor,
} from 'oxc-parser';
import { type Finding, isTest, lineAt, parse, type SourceFile } from './source-file.ts';

const CONTAINERS: readonly string[] = ['Map', 'Set', 'WeakMap', 'WeakSet', 'Array'];
const READONLY_TYPES = /^(Readonly|ReadonlyMap|ReadonlySet|ReadonlyArray)$/;
const MUTATORS: readonly string[] = 'add set delete clear push pop shift unshift splice sort reverse fill'.split(' ');

/**
 * Finds mutable module-level state, which two agents in one process would share. A container that is filled where it
 * is declared and never changed in its file is a constant table and allowed.
 */
export function checkModuleState(sources: readonly SourceFile[]): Finding[] {
  return sources
    .filter(({ path }) => path.startsWith('src/') && !path.startsWith('src/runtime/') && !isTest(path))
    .flatMap(checkFile);
}

function checkFile(source: SourceFile): Finding[] {
  const { program } = parse(source);
  const mutated = mutatedNames(program);
  const findings: Finding[] = [];
  const report = (offset: number, message: string) =>
    findings.push({ path: source.path, line: lineAt(source.text, offset), message });
  for (const statement of program.body) {
    const exported = statement.type === 'ExportNamedDeclaration';
    const declaration = exported ? statement.declaration : statement;
    if (declaration?.type !== 'VariableDeclaration' || declaration.declare) continue;
    for (const declarator of declaration.declarations) {
      const message = judge(declaration, declarator, exported, mutated);
      if (message) report(declarator.start, message);
    }
  }
  new Visitor({
    PropertyDefinition(node) {
      if (node.static && !node.readonly) report(node.start, 'a mutable static field is module-level state');
    },
  }).visit(program);
  return findings;
}

function judge(
  { kind }: VariableDeclaration,
  { id, init }: VariableDeclarator,
  exported: boolean,
  mutated: ReadonlySet<string>,
): string | undefined {
  if (kind === 'let' || kind === 'var')
    return `module-level ${kind}: state belongs to an object that the runtime creates`;
  if (id.type !== 'Identifier' || !init) return undefined;
  const { container, empty, readonly } = describeValue(init);
  if (!container) return undefined;
  if (mutated.has(id.name)) return `module-level ${id.name} is changed in this file`;
  if (readonly || isReadonlyType(id.typeAnnotation?.typeAnnotation)) return undefined;
  if (empty) return `module-level ${id.name} starts empty, so it is meant to be filled later`;
  if (exported && init.type === 'NewExpression') return `exported ${id.name} is mutable: give it a readonly type`;
  return undefined;
}

function describeValue(expression: Expression): { container: boolean; empty: boolean; readonly: boolean } {
  switch (expression.type) {
    case 'TSSatisfiesExpression':
      return describeValue(expression.expression);
    case 'TSAsExpression': {
      const inner = describeValue(expression.expression);
      return { ...inner, readonly: inner.readonly || isReadonlyType(expression.typeAnnotation) };
    }
    case 'NewExpression': {
      const { callee } = expression;
      const container = callee.type === 'Identifier' && CONTAINERS.includes(callee.name);
      return { container, empty: expression.arguments.length === 0, readonly: false };
    }
    case 'ArrayExpression':
      return { container: true, empty: expression.elements.length === 0, readonly: false };
    case 'ObjectExpression':
      return { container: true, empty: expression.properties.length === 0, readonly: false };
    default:
      return { container: false, empty: false, readonly: false };
  }
}

/** `ReadonlySet<…>`, `readonly string[]`, `Readonly<…>` and `as const`. */
function isReadonlyType(type: TSType | undefined): boolean {
  if (!type) return false;
  if (type.type === 'TSTypeOperator') return type.operator === 'readonly';
  if (type.type !== 'TSTypeReference' || type.typeName.type !== 'Identifier') return false;
  return READONLY_TYPES.test(type.typeName.name) || type.typeName.name === 'const';
}

/** Names that are assigned to, deleted from, or on which a mutating method is called. */
function mutatedNames(program: Program): ReadonlySet<string> {
  const names = new Set<string>();
  const note = (target: AssignmentTarget | Expression) => {
    if (target.type === 'MemberExpression' && target.object.type === 'Identifier') names.add(target.object.name);
  };
  new Visitor({
    AssignmentExpression: ({ left }) => note(left),
    UpdateExpression: ({ argument }) => note(argument),
    UnaryExpression: ({ operator, argument }) => {
      if (operator === 'delete') note(argument);
    },
    CallExpression: ({ callee }) => {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
      if (MUTATORS.includes(callee.property.name)) note(callee);
    },
  }).visit(program);
  return names;
}
