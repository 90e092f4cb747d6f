import { Visitor } from 'oxc-parser';
import { type Finding, isTest, lineAt, parse, type SourceFile } from './source-file.ts';

/** The only folder that may depend on the operating system. */
const BOUNDARY = 'src/util/operating-system/';

/** Files with paths of Linux that do not make Hermes depend on it, and why. */
const EXCEPTIONS: readonly [path: string, reason: string][] = [
  ['src/approvals/', 'recognises paths in the commands of a model'],
  ['src/scanning/', 'recognises paths in text'],
  ['src/skills/guard/', 'recognises paths in skills'],
  ['src/environments/remote/', 'contains scripts for another machine, which look at it themselves'],
  ['src/environments/cloud/', 'contains scripts for a container, which runs Linux'],
  ['src/environments/local/bubblewrap.ts', 'bubblewrap exists only on Linux'],
  ['src/environments/local/bubblewrap-mounts.ts', 'has the arguments of bubblewrap'],
];

/** Paths that only Linux has. Others in /dev, such as `/dev/null`, exist everywhere. */
const LINUX_PATH = /(?:^|[\s"'=<>(])\/(?:proc|sys|dev\/shm|run\/(?:user|systemd))(?:\/|$)/m;
const OS_FUNCTIONS: readonly string[] = ['platform', 'version', 'machine'];

/** Finds code outside the boundary that looks at the operating system or uses paths of Linux. */
export function checkSystemUse(sources: readonly SourceFile[]): Finding[] {
  return sources.filter(({ path }) => path.startsWith('src/') && !isExempt(path)).flatMap(checkFile);
}

function isExempt(path: string): boolean {
  if (isTest(path) || path.endsWith('.fixture.ts') || path.startsWith(BOUNDARY)) return true;
  return EXCEPTIONS.some(([name]) => (name.endsWith('/') ? path.startsWith(name) : path === name));
}

function checkFile(source: SourceFile): Finding[] {
  const findings: Finding[] = [];
  const report = (offset: number, message: string) =>
    findings.push({ path: source.path, line: lineAt(source.text, offset), message });
  const { program, module } = parse(source);
  for (const { moduleRequest, entries } of module.staticImports) {
    if (!/^(?:node:)?os$/.test(moduleRequest.value)) continue;
    const name = entries.map(({ importName }) => importName.name ?? '').find((each) => OS_FUNCTIONS.includes(each));
    if (name !== undefined) report(moduleRequest.start, `imports ${name} of node:os: use operatingSystem()`);
  }
  const checkText = (text: unknown, offset: number) => {
    if (typeof text === 'string' && LINUX_PATH.test(text))
      report(offset, `uses a path that only Linux has: put it into ${BOUNDARY}`);
  };
  new Visitor({
    MemberExpression(node) {
      const { object, property } = node;
      if (object.type !== 'Identifier' || object.name !== 'process') return;
      const name = property.type === 'Identifier' ? property.name : property.type === 'Literal' ? property.value : '';
      if (name === 'platform') report(node.start, 'reads process.platform: use operatingSystem()');
    },
    Literal: ({ value, start }) => checkText(value, start),
    TemplateElement: ({ value, start }) => checkText(value.cooked, start),
  }).visit(program);
  return findings;
}
